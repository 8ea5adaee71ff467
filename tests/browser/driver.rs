//! A small WebDriver client: it starts `chromedriver` and one headless Chromium, and speaks to both over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How often a condition is looked at before a check fails; a busy machine has two cores and other work.
const MAX_LOOKS: usize = 800;
const POLL_INTERVAL: Duration = Duration::from_millis(40);
/// How long one command may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs before every page: what the policy stopped, what failed, and what tried to get out.
const LISTENER: &str = "
    window.__trouble = [];
    addEventListener('securitypolicyviolation', (e) => __trouble.push('policy: ' + e.violatedDirective + ' ' + e.blockedURI));
    addEventListener('error', (e) => __trouble.push('error: ' + e.message));
    addEventListener('unhandledrejection', (e) => __trouble.push('rejection: ' + e.reason));
    window.__open = window.open;
    for (const name of ['alert', 'confirm', 'prompt', 'open', 'print'])
        window[name] = () => __trouble.push('called: ' + name);
";

/// A running browser. It and its driver are ended by their ids when this is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

/// Returns why there is no browser to be had, or `None` if there is one.
pub(crate) fn missing() -> Option<String> {
    let absent = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
    };
    let names: Vec<&str> = ["chromium", "chromedriver"].into_iter().filter(|name| absent(name)).collect();
    (!names.is_empty()).then(|| format!("{} is not installed", names.join(" and ")))
}

impl Browser {
    /// Starts the driver on a port that it chooses, and a browser with an empty profile.
    pub(crate) fn start(fonts: &Path) -> Browser {
        let profile = TempDir::new().expect("a folder for the profile");
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("FONTCONFIG_FILE", fonts)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut lines = BufReader::new(driver.stdout.take().expect("its output"));
        let port = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).expect("UTF-8") > 0, "chromedriver ended without a port");
            if let Some(rest) = line.split("successfully on port ").nth(1) {
                break rest.trim().trim_end_matches('.').parse().expect("a port");
            }
        };
        // What the driver says later is not read by anybody, and must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let folder = browser._profile.path().display().to_string();
        let options = json!({"args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--host-resolver-rules=MAP rebound.test 127.0.0.1", "--hide-scrollbars", "--force-color-profile=srgb", format!("--user-data-dir={folder}"),
        ]});
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "unhandledPromptBehavior": "dismiss",
        }}});
        let started = browser.request("POST", "/session", &wanted);
        browser.session = started["sessionId"].as_str().expect("a session").to_owned();
        browser.listen();
        browser
    }

    /// Sends one command; an error of the driver ends the check.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer =
            exchange(self.port, method, path, body).unwrap_or_else(|error| panic!("{path}: {error}"));
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{path}: {} {}", value["error"], value["message"]);
        value
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.request(method, &format!("/session/{}{path}", self.session), body)
    }

    /// Speaks to the browser's own tools.
    pub(crate) fn tools(&self, command: &str, parameters: &Value) -> Value {
        self.call("POST", "/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Installs the listener in this tab, for every page that is opened in it.
    pub(crate) fn listen(&self) {
        self.tools("Page.enable", &json!({}));
        self.tools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": LISTENER}));
        // A page gets and gives the focus as if its window were in front.
        self.tools("Emulation.setFocusEmulationEnabled", &json!({"enabled": true}));
        self.tools("Emulation.setTimezoneOverride", &json!({"timezoneId": "UTC"}));
    }

    pub(crate) fn open(&self, address: &str) {
        self.call("POST", "/url", &json!({"url": address}));
    }

    /// Opens an address as a new page, also where only the part behind the # differs.
    pub(crate) fn open_anew(&self, address: &str) {
        self.open("about:blank");
        self.open(address);
    }

    pub(crate) fn address(&self) -> String {
        self.call("GET", "/url", &Value::Null).as_str().expect("an address").to_owned()
    }

    pub(crate) fn script(&self, text: &str, arguments: &[Value]) -> Value {
        self.call("POST", "/execute/sync", &json!({"script": text, "args": arguments}))
    }

    /// Runs a script that ends by calling its last argument.
    pub(crate) fn script_later(&self, text: &str, arguments: &[Value]) -> Value {
        self.call("POST", "/timeouts", &json!({"script": 60_000}));
        self.call("POST", "/execute/async", &json!({"script": text, "args": arguments}))
    }

    pub(crate) fn ask(&self, expression: &str) -> Value {
        self.script(&format!("return ({expression});"), &[])
    }

    pub(crate) fn text(&self, expression: &str) -> String {
        self.ask(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) {
        for _ in 0..MAX_LOOKS {
            if self.ask(&format!("Boolean({expression})")) == json!(true) {
                return;
            }
            sleep(POLL_INTERVAL);
        }
        let shown = self.text("document.body ? document.body.innerText.slice(0, 1500) : ''");
        panic!("never true: {expression}\nat {}\n{:?}\n{shown}", self.address(), self.trouble());
    }

    /// Waits until a text is on the page.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(&format!("document.body && document.body.innerText.includes({})", json!(text)));
    }

    /// Waits until the page has drawn what it knows: no grey shapes, nothing asked for.
    #[track_caller]
    pub(crate) fn settled(&self) {
        self.wait("document.querySelector('main') && !document.querySelector('.waiting, .ghosts, .stale')");
        let frames = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));";
        self.script_later(frames, &[]);
    }

    /// Presses keys one after another, where the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let mut actions = Vec::new();
        for key in keys.chars() {
            actions.push(json!({"type": "keyDown", "value": key.to_string()}));
            actions.push(json!({"type": "keyUp", "value": key.to_string()}));
        }
        let keyboard = json!({"type": "key", "id": "keys", "actions": actions});
        self.call("POST", "/actions", &json!({"actions": [keyboard]}));
    }

    pub(crate) fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.tools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets the preferences that a page can ask for, such as `prefers-color-scheme`.
    pub(crate) fn prefer(&self, preferences: &[(&str, &str)]) {
        let features: Vec<Value> =
            preferences.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        self.tools("Emulation.setEmulatedMedia", &json!({"media": "", "features": features}));
    }

    /// Returns a picture of the window as base64.
    pub(crate) fn picture(&self) -> String {
        self.call("GET", "/screenshot", &Value::Null).as_str().expect("a picture").to_owned()
    }

    /// Prints the page as a browser does that is asked to, and returns on how many sheets.
    pub(crate) fn sheets(&self) -> usize {
        let printed = self.call("POST", "/print", &json!({"background": false}));
        let text = printed.as_str().expect("a document");
        let bytes = crate::look::decode(text);
        // Every page of a document is an object of this type; the list of them is of type `Pages`.
        let pages =
            bytes.windows(11).filter(|at| at.starts_with(b"/Type /Page") || at.starts_with(b"/Type/Page"));
        let lists = bytes.windows(12).filter(|at| *at == b"/Type /Pages" || at.starts_with(b"/Type/Pages"));
        pages.count() - lists.count()
    }

    /// Cuts the browser off from every network, or connects it again.
    pub(crate) fn offline(&self, is_offline: bool) {
        self.tools("Network.enable", &json!({}));
        let none =
            json!({"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.tools("Network.emulateNetworkConditions", &none);
    }

    pub(crate) fn tabs(&self) -> Vec<String> {
        let handles = self.call("GET", "/window/handles", &Value::Null);
        handles
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one.as_str().expect("a name").to_owned())
            .collect()
    }

    pub(crate) fn new_tab(&self) -> String {
        let tab = self.call("POST", "/window/new", &json!({"type": "tab"}));
        let name = tab["handle"].as_str().expect("a name").to_owned();
        self.switch(&name);
        self.listen();
        name
    }

    pub(crate) fn switch(&self, tab: &str) {
        self.call("POST", "/window", &json!({"handle": tab}));
    }

    /// Closes every tab but the first.
    pub(crate) fn one_tab(&self) {
        let tabs = self.tabs();
        for tab in tabs.iter().skip(1) {
            self.switch(tab);
            self.call("DELETE", "/window", &Value::Null);
        }
        self.switch(&tabs[0]);
    }

    pub(crate) fn cookies(&self) -> Vec<Value> {
        let all = self.tools("Network.getAllCookies", &json!({}));
        all["cookies"].as_array().expect("a list").clone()
    }

    /// Returns what the listener of this page has seen.
    pub(crate) fn trouble(&self) -> Vec<String> {
        let seen = self.ask("window.__trouble || []");
        seen.as_array()
            .expect("a list")
            .iter()
            .map(|one| one.as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Returns the errors of the console since the last call.
    pub(crate) fn console_errors(&self) -> Vec<String> {
        let entries = self.call("POST", "/se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().expect("a list").iter();
        let errors = entries.filter(|entry| entry["level"] == "SEVERE");
        errors.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the addresses that were asked for since the last call.
    pub(crate) fn requests(&self) -> Vec<String> {
        let entries = self.call("POST", "/se/log", &json!({"type": "performance"}));
        let mut out = Vec::new();
        for entry in entries.as_array().expect("a list") {
            let message: Value =
                serde_json::from_str(entry["message"].as_str().unwrap_or_default()).unwrap_or_default();
            if message["message"]["method"] == "Network.requestWillBeSent" {
                let url = &message["message"]["params"]["request"]["url"];
                out.push(url.as_str().unwrap_or_default().to_owned());
            }
        }
        out
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = exchange(self.port, "DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Sends one request on a connection of its own and reads the answer as JSON.
fn exchange(port: u16, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
    stream.set_read_timeout(Some(CALL_TIMEOUT)).map_err(|error| error.to_string())?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes()).map_err(|error| error.to_string())?;
    stream.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(|_| "a length that is not a number".to_owned())?;
        }
    }
    let mut answer = vec![0; length];
    reader.read_exact(&mut answer).map_err(|error| error.to_string())?;
    serde_json::from_slice(&answer).map_err(|error| error.to_string())
}
