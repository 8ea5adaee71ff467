// Nudge for OpenCode: asks `nudge hook` about what happens, and passes its answers on.
// One file for both plugin interfaces: OpenCode 1.18 and later 1.x read `server`, 2.x reads `setup`.
// Whatever goes wrong in here, OpenCode goes on as if this file were not there; only a rule refuses a tool.

import { spawn } from "node:child_process"

const PROGRAM = "nudge"
const TIMEOUT_MS = 5000

/** Asks about one event; no answer in time, or none that can be read, is no objection. */
function ask(payload) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "--harness", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
      let text = ""
      const end = (reply) => {
        clearTimeout(timer)
        resolve(reply)
      }
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        end({})
      }, TIMEOUT_MS)
      child.on("error", () => end({}))
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => (text += part))
      child.on("close", () => {
        try {
          end(text.trim() ? JSON.parse(text) : {})
        } catch {
          end({})
        }
      })
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve({})
    }
  })
}

/** What both interfaces have in common: who belongs to whom, and what a session has been told. */
function sessions(directory, tell) {
  const parents = new Map()
  const opening = new Map()
  const turn = new Map()
  const calls = new Map()

  async function send(session, fields) {
    const parent = parents.get(session)
    const who = parent ? { session_id: parent, agent_id: session } : { session_id: session }
    const reply = await ask({ ...who, cwd: directory, ...fields })
    if (reply.notice) tell(reply.notice)
    return reply
  }

  return {
    child: (session, parent) => parents.set(session, parent),

    async start(session) {
      if (!session || opening.has(session) || parents.has(session)) return
      opening.set(session, "")
      opening.set(session, (await send(session, { event: "session.start", reason: "startup" })).context ?? "")
    },

    async prompt(session, text) {
      await this.start(session)
      if (!text || parents.has(session)) return
      turn.set(session, (await send(session, { event: "chat.message", prompt: text })).context ?? "")
    },

    /** What the model is to be told with every request. */
    told: (session) => [opening.get(session), turn.get(session)].filter(Boolean),

    async before(session, call, tool, args) {
      calls.set(call, args)
      const reply = await send(session, { event: "tool.execute.before", call_id: call, tool, args })
      if (!reply.block) return
      calls.delete(call)
      throw new Error(reply.block)
    },

    async after(session, call, tool, args, output, metadata, error) {
      const given = args ?? calls.get(call)
      calls.delete(call)
      const fields = { event: "tool.execute.after", call_id: call, tool, args: given, output, metadata, error }
      return (await send(session, fields)).context
    },

    idle: (session) => (parents.has(session) ? undefined : send(session, { event: "session.idle" })),

    async end(session) {
      if (!parents.has(session)) await send(session, { event: "session.end", reason: "deleted" })
      for (const map of [parents, opening, turn]) map.delete(session)
    },
  }
}

/** OpenCode 1.x. */
async function server({ client, directory }) {
  const show = async (message) => {
    try {
      await client.tui.showToast({ body: { message, variant: "warning" } })
    } catch {}
  }
  const all = sessions(directory, show)
  return {
    "chat.message": async (input, output) => {
      const spoken = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      await all.prompt(input.sessionID, spoken.map((part) => part.text).join("\n"))
    },
    "experimental.chat.system.transform": async (input, output) => {
      await all.start(input.sessionID)
      output.system.push(...all.told(input.sessionID))
    },
    "tool.execute.before": (input, output) => all.before(input.sessionID, input.callID, input.tool, output.args),
    "tool.execute.after": async (input, output) => {
      const { sessionID, callID, tool, args } = input
      const context = await all.after(sessionID, callID, tool, args, output.output, output.metadata)
      if (context) output.output = `${output.output ?? ""}\n\n${context}`
    },
    event: async ({ event }) => {
      const { info, sessionID } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) all.child(info.id, info.parentID)
      if (event.type === "session.idle") await all.idle(sessionID)
      if (event.type === "session.deleted") await all.end(info?.id ?? sessionID)
    },
  }
}

/** OpenCode 2.x, which lets a plugin show nothing to the user. */
async function setup(context) {
  const all = sessions(context.location?.directory ?? process.cwd(), () => {})
  await context.session?.hook?.("prompt", (event) => all.prompt(event.sessionID, event.prompt?.text))
  await context.session?.hook?.("context", async (event) => {
    await all.start(event.sessionID)
    for (const text of all.told(event.sessionID)) event.system.push({ type: "text", text })
  })
  await context.tool?.hook?.("execute.before", (event) =>
    all.before(event.sessionID, event.callID, event.tool, event.input),
  )
  await context.tool?.hook?.("execute.after", async (event) => {
    const { sessionID, callID, tool, input, result } = event
    const content = result?.content
    const text = Array.isArray(content) ? content.map((part) => part.text ?? "").join("\n") : content
    const error = event.status === "error" ? (event.error?.message ?? "failed") : undefined
    const added = await all.after(sessionID, callID, tool, input, text, result?.metadata, error)
    if (!added || !result) return
    if (Array.isArray(content)) content.push({ type: "text", text: added })
    else result.content = `${content ?? ""}\n\n${added}`
  })
}

export default { id: "nudge", server, setup }
