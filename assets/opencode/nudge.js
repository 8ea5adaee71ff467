// Nudge for OpenCode: asks `nudge hook` about what happens, and passes its answers on.
// One file for both plugin interfaces: OpenCode 1.18 and later 1.x read `server`, 2.x reads `setup`.
// Whatever goes wrong in here, OpenCode goes on as if this file were not there; only a rule refuses a tool.

import { spawn } from "node:child_process"

const PROGRAM = "nudge"
const TIMEOUT_MS = 5000

/** Asks about one event; no answer in time, or none that can be read, is no objection. A missing program is named. */
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
      child.on("error", (error) => end(error.code === "ENOENT" ? { missing: true } : {}))
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
  const roles = new Map()
  const created = new Set()
  const opening = new Map()
  const turn = new Map()
  const calls = new Map()
  const failing = new Map()
  let servers = []
  let missing = false

  async function send(session, fields) {
    const parent = parents.get(session)
    const who = parent ? { session_id: parent, agent_id: session, agent_type: roles.get(session) } : { session_id: session }
    const reply = await ask({ ...who, cwd: directory, ...fields })
    if (reply.notice) tell(reply.notice)
    if (reply.missing && !missing) {
      missing = true
      tell(`${PROGRAM} is not installed here: no rules, no memory`)
    }
    return reply
  }

  /** Tools of MCP servers are called by both names, joined. */
  function named(tool) {
    const [server] = servers.filter((name) => tool.startsWith(`${name}_`)).sort((a, b) => b.length - a.length)
    return server ? { tool, mcp_server: server, mcp_tool: tool.slice(server.length + 1) } : { tool }
  }

  return {
    serve: (names) => (servers = names.map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_"))),

    child: (session, parent) => parents.set(session, parent),

    /** Which agent a session is of. */
    role: (session, agent) => agent && roles.set(session, agent),

    begin: (session) => created.add(session),

    async start(session) {
      if (!session || opening.has(session) || parents.has(session)) return
      opening.set(session, "")
      const reason = created.has(session) ? "startup" : "resume"
      opening.set(session, (await send(session, { event: "session.start", reason })).context ?? "")
    },

    async prompt(session, text) {
      await this.start(session)
      if (!text || parents.has(session)) return
      turn.set(session, (await send(session, { event: "chat.message", prompt: text })).context ?? "")
    },

    /** What the model is to be told with every request. */
    async told(session) {
      await failing.get(session)
      return [opening.get(session), turn.get(session)].filter(Boolean)
    },

    async before(session, call, tool, args) {
      calls.set(call, { args, began: Date.now() })
      const reply = await send(session, { event: "tool.execute.before", call_id: call, ...named(tool), args })
      if (!reply.block) return
      calls.delete(call)
      throw new Error(reply.block)
    },

    async after(session, call, tool, args, output, metadata, error) {
      const known = calls.get(call)
      calls.delete(call)
      const call_of = { event: "tool.execute.after", call_id: call, ...named(tool), args: args ?? known?.args }
      const duration_ms = known && Date.now() - known.began
      return (await send(session, { ...call_of, output, metadata, error, duration_ms })).context
    },

    /** A tool that fails outright has no output to add to: what there is to say waits for the next request. */
    async failed(session, call, tool, args, error) {
      if (!calls.has(call)) return
      const asked = this.after(session, call, tool, args, undefined, undefined, error)
      failing.set(session, Promise.all([failing.get(session), asked]))
      const context = await asked
      if (context) turn.set(session, [turn.get(session), context].filter(Boolean).join("\n\n"))
    },

    idle: (session) => (parents.has(session) ? undefined : send(session, { event: "session.idle" })),

    async end(session, reason) {
      const isOwn = opening.has(session) && !parents.has(session)
      for (const map of [parents, roles, created, opening, turn, failing]) map.delete(session)
      if (isOwn) await send(session, { event: "session.end", reason })
    },

    async leave() {
      await Promise.all([...opening.keys()].map((session) => this.end(session, "exit")))
    },
  }
}

/** Returns what a tool gave back: one of OpenCode a text, one of an MCP server parts. */
const text = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("\n") : content)

/** OpenCode 1.x. */
async function server({ client, directory }) {
  const show = async (message) => {
    try {
      await client.app.log({ body: { service: "nudge", level: "warn", message } })
      await client.tui.showToast({ body: { message, variant: "warning" } })
    } catch {}
  }
  const all = sessions(directory, show)
  return {
    config: async (config) => void all.serve(Object.keys(config.mcp ?? {})),
    "chat.message": async (input, output) => {
      all.role(input.sessionID, input.agent)
      const spoken = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      await all.prompt(input.sessionID, spoken.map((part) => part.text).join("\n"))
    },
    "experimental.chat.system.transform": async (input, output) => {
      // The model that only finds a title for the session needs to know nothing.
      if (output.system[0]?.includes("title generator")) return
      await all.start(input.sessionID)
      output.system.push(...(await all.told(input.sessionID)))
    },
    "tool.execute.before": (input, output) => all.before(input.sessionID, input.callID, input.tool, output.args),
    "tool.execute.after": async (input, output) => {
      const { sessionID, callID, tool, args } = input
      const given = output.output ?? text(output.content)
      const error = output.isError ? (given ?? "failed") : undefined
      const context = await all.after(sessionID, callID, tool, args, given, output.metadata, error)
      if (!context) return
      if (Array.isArray(output.content)) output.content.push({ type: "text", text: context })
      else output.output = `${output.output ?? ""}\n\n${context}`
    },
    event: async ({ event }) => {
      const { info, sessionID, part } = event.properties ?? {}
      if (event.type === "session.created") info?.parentID ? all.child(info.id, info.parentID) : all.begin(info?.id)
      if (event.type === "session.idle") await all.idle(sessionID)
      if (event.type === "session.deleted") await all.end(info?.id ?? sessionID, "deleted")
      // Nothing is called after a tool that throws; only the message that shows it changes.
      const threw = event.type === "message.part.updated" && part?.state?.status === "error"
      if (threw && !part.state.metadata?.interrupted)
        await all.failed(part.sessionID, part.callID, part.tool, part.state.input, part.state.error)
    },
    dispose: () => all.leave(),
  }
}

/** OpenCode 2.x, which lets a plugin show nothing to the user. */
async function setup(context) {
  const all = sessions(context.location?.directory ?? process.cwd(), () => {})
  await context.session?.hook?.("prompt", (event) => {
    // Which sessions are older than this process is not known here.
    all.begin(event.sessionID)
    return all.prompt(event.sessionID, event.prompt?.text)
  })
  await context.session?.hook?.("context", async (event) => {
    await all.start(event.sessionID)
    for (const text of await all.told(event.sessionID)) event.system.push({ type: "text", text })
  })
  await context.tool?.hook?.("execute.before", (event) =>
    all.before(event.sessionID, event.callID, event.tool, event.input),
  )
  await context.tool?.hook?.("execute.after", async (event) => {
    const { sessionID, callID, tool, input, result } = event
    const content = result?.content
    const error = event.status === "error" ? (event.error?.message ?? "failed") : undefined
    const added = await all.after(sessionID, callID, tool, input, text(content), result?.metadata, error)
    if (!added || !result) return
    if (Array.isArray(content)) content.push({ type: "text", text: added })
    else result.content = `${content ?? ""}\n\n${added}`
  })
}

export default { id: "nudge", server, setup }
