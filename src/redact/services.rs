//! Names of services whose keys look like any hash or id, so that only the name beside a value announces it.
//!
//! Sources, read as references: the detectors of TruffleHog that look for the name of a service and a value near it (as
//! listed in `datasets/trufflehog-v3.yml` of mazen160/secrets-patterns-db), and betterleaks b1aa878b. Names that are
//! ordinary words, or names of tools that print hashes (`git`, `docker`, `npm`), were left out.

use super::scan::is_one_of;

/// Returns whether a word is the name of a service, alone or with something joined to it (`ipstackApi`).
pub(super) fn is_service(word: &[u8]) -> bool {
    let mut lower = [0; MAX_NAME];
    let length = word.len().min(MAX_NAME);
    lower[..length].copy_from_slice(&word[..length]);
    lower.make_ascii_lowercase();
    let word_start = &lower[..length];
    // A name that begins another one is sorted before it.
    let after = SERVICES.partition_point(|name| name.as_bytes() <= word_start);
    let names = SERVICES[..after].iter().rev().map(|name| name.as_bytes());
    names
        .take_while(|name| name[0] == lower[0] && name.get(1) == lower.get(1))
        .any(|name| word_start.starts_with(name) && (name.len() == word.len() || name.len() >= MIN_PREFIX))
}

/// Returns whether a word is a service whose name is an ordinary word; it counts only beside the word `key`.
pub(super) fn is_service_word(word: &[u8]) -> bool {
    (3..=MAX_NAME).contains(&word.len()) && is_one_of(word, SERVICE_WORDS)
}

/// Returns whether programs use this word for keys that are not secret: `cacheKey`, `primary_key`.
pub(super) fn is_ordinary_key(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"s").unwrap_or(word);
    is_one_of(word, ORDINARY_KEYS)
}

/// The longest name, and more than any word that is looked up needs.
const MAX_NAME: usize = 24;

/// A shorter name must be the whole word: others begin like it.
const MIN_PREFIX: usize = 7;

#[rustfmt::skip]
const SERVICE_WORDS: &[&str] = &[
    "abstract", "agora", "aha", "alchemy", "amadeus", "apollo", "artsy", "autopilot", "aws", "axios", "azure",
    "binance", "bing", "box", "braintree", "branch", "campaign", "chatbot", "checkout", "close", "coda",
    "cohere", "column", "copper", "courier", "dandelion", "delighted", "deputy", "ditto", "drip", "elastic", "enigma",
    "envoy", "eraser", "etherscan", "eventbrite", "exa", "faker", "fibery", "firecrawl", "fixer", "float", "fly",
    "front", "gcp", "github", "gitlab", "google", "groq", "guru", "gusto", "harness", "harvest", "here",
    "humanity", "hunter", "impala", "infura", "iterable", "judge", "juro", "keygen", "kite", "knapsack", "koyeb",
    "kraken", "line", "linear", "lob", "loggly", "loom", "maps", "maxmind", "mesh", "monday", "moralis", "mux",
    "nasa", "neon", "nimble", "nitro", "novu", "orbit", "paddle", "parsehub", "payment", "payments", "persona",
    "polygon", "portal", "prefect", "privacy", "pulumi", "raven", "readme", "refiner", "render", "replit", "rev",
    "runway", "scale", "segment", "semaphore", "serper", "shortcut", "shotgun", "signable", "sms", "smtp", "solar",
    "split", "square", "statuscake", "strapi", "stripo", "surge", "swell", "tavily", "teamwork", "tink", "trigger",
    "twist", "tyk", "uptime", "veriff", "vonage", "vtex", "weather", "wistia", "yelp", "zoom",
];

/// What programs put before `key` for keys that are not secret, in the singular.
#[rustfmt::skip]
const ORDINARY_KEYS: &[&str] = &[
    "actual", "add", "adds", "also", "and", "another", "are", "arrow", "artifact", "asset", "attribute", "backspace",
    "base", "block", "both", "bottom", "bucket", "build", "bundle", "but", "cache", "can", "checksum", "child",
    "chunk", "class", "cluster", "collection", "column", "commit", "component", "composite", "compound", "config",
    "content", "context", "correct", "crypto", "current", "data", "db", "decoded", "dedup", "dedupe", "default",
    "device", "dict", "did", "digest", "dir", "doc", "document", "does", "domain", "duplicate", "each", "encoded",
    "enter", "entity", "entry", "error", "escape", "etag", "event", "every", "existing", "expected", "extra",
    "feature", "field", "file", "filter", "fingerprint", "first", "flag", "folder", "for", "foreign", "found", "from",
    "full", "function", "generated", "get", "git", "given", "global", "gpg", "group", "had", "has", "hash", "hashed",
    "have", "header", "home", "host", "hot", "i18n", "id", "idempotency", "image", "index", "inner", "input",
    "instance", "into", "invalid", "is", "issue", "item", "job", "json", "just", "key", "keyboard", "kind", "label",
    "lang", "last", "layer", "left", "like", "list", "locale", "lock", "log", "long", "lookup", "machine", "map",
    "match", "matching", "may", "md5", "memo", "message", "meta", "metadata", "method", "metric", "missing",
    "modifier", "module", "must", "name", "natural", "nested", "new", "next", "node", "normalized", "not", "object",
    "old", "only", "opaque", "option", "order", "other", "outer", "output", "owner", "package", "page", "param",
    "parent", "parsed", "part", "partition", "path", "peer", "pk", "plugin", "press", "pressed", "prev", "previous",
    "primary", "product", "project", "prop", "property", "provided", "pub", "pubkey", "public", "query", "queue",
    "random", "react", "record", "redis", "ref", "reference", "region", "registry", "remove", "repo", "request",
    "resource", "restore", "result", "right", "root", "route", "routing", "row", "rule", "run", "s3", "same", "save",
    "schema", "scope", "search", "second", "secondary", "section", "session", "set", "sets", "setting", "sha",
    "sha256", "shard", "shift", "short", "should", "signature", "single", "site", "slot", "snapshot", "some", "sort",
    "sorted", "source", "space", "span", "specified", "sql", "ssh", "stable", "stack", "state", "storage", "store",
    "stream", "string", "sub", "such", "table", "tag", "target", "task", "tenant", "test", "text", "than", "that",
    "the", "their", "theme", "then", "these", "third", "this", "those", "thread", "time", "top", "topic", "trace",
    "translation", "tree", "type", "under", "unique", "unset", "url", "use", "used", "user", "uses", "uuid", "valid",
    "value", "vary", "verification", "verifying", "version", "view", "was", "were", "what", "when", "where", "which",
    "widget", "will", "window", "with", "workflow", "workspace", "would", "wrong", "yaml", "your",
];

#[rustfmt::skip]
pub(super) const SERVICES: &[&str] = &[
    "1password", "abuseipdb", "abyssale", "accuweather", "adafruit", "adobe", "adobeio", "adzuna", "aeroworkflow",
    "aikido", "airbrake", "airship", "airtable", "airvisual", "aiven", "alconost", "alegra", "aletheiaapi",
    "algolia", "alibaba", "alienvault", "allsports", "ambee", "amplitude", "anthropic", "anypoint", "apacta",
    "api2cart", "apideck", "apiflash", "apifonica", "apify", "apimatic", "apiscience", "appcues", "appfollow",
    "appsynergy", "apptivo", "artifactory", "asaas", "asana", "assemblyai", "atlassian", "audd", "auth0",
    "authress", "autodesk", "autoklose", "avaza", "aviationstack", "axonaut", "aylien", "ayrshare", "bannerbear",
    "baremetrics", "baseapi", "beamer", "beebole", "besttime", "billomat", "bitbar", "bitbucket", "bitcoinaverage",
    "bitfinex", "bitly", "bitmex", "bitrise", "bittrex", "blablabus", "blazemeter", "blitapp", "bombbomb",
    "boostnote", "borgbase", "brandfetch", "browserstack", "browshot", "buddyns", "bugherd", "bugsnag", "buildkite",
    "bulbul", "buttercms", "caflou", "calendarific", "calendly", "calorieninja", "campayn", "capsulecrm",
    "captaindata", "carboninterface", "cartesia", "cashboard", "caspio", "censys", "centralstation", "cerebras",
    "chatfuel", "checio", "checkly", "checkvist", "circleci", "civo", "clearbit", "clickhelp", "clickhouse",
    "clicksend", "clickup", "cliengo", "clinchpad", "clockify", "closecrm", "cloudelements", "cloudflare",
    "cloudimage", "cloudinary", "cloudmersive", "cloudplan", "cloudsmith", "cloverly", "cloze", "clustdoc",
    "cockroachlabs", "codacy", "codecov", "coinapi", "coinbase", "coinlayer", "coinlib", "companyhub", "configcat",
    "confluent", "contentful", "convertkit", "convier", "couchbase", "countrylayer", "coveralls", "crowdin",
    "cryptocompare", "currencycloud", "currencyfreaks", "currencylayer", "currencyscoop", "currentsapi",
    "customerguru", "customerio", "d7network", "dailyco", "databento", "databricks", "datadog", "datafire",
    "datagov", "datastax", "deepai", "deepgram", "deepseek", "detectlanguage", "devcycle", "dfuse", "diffbot",
    "digitalocean", "discord", "disqus", "dockerhub", "documo", "doppler", "dotmailer", "dovico", "dronahq",
    "droneci", "dropbox", "duffel", "dwolla", "dynalist", "dynatrace", "dyspatch", "eagleeyenetworks",
    "easyinsight", "easypost", "ebay", "edamam", "edenai", "eightxeight", "elasticemail", "elevenlabs", "enablex",
    "endorlabs", "ethplorer", "etsy", "everhour", "exchangerates", "exoscale", "facebook", "faceplusplus",
    "fakejson", "fastforex", "fastly", "feedier", "fetchrss", "figma", "finage", "financialmodelingprep", "findl",
    "finicity", "finnhub", "flatio", "fleetbase", "flickr", "flightapi", "flightstats", "flowflu", "flutterwave",
    "flyio", "fmfw", "formbucket", "formio", "foursquare", "frameio", "freemius", "freshbooks", "freshdesk",
    "freshworks", "fullstory", "fxmarket", "geckoboard", "gengo", "geoapify", "geocodify", "geocodio", "geoipifi",
    "getemail", "getemails", "getgeoapi", "getgist", "getsandbox", "gitea", "glassnode", "gocanvas", "gocardless",
    "goodday", "grafana", "graphcms", "graphhopper", "greptile", "groovehq", "guardianapi", "gumroad", "gyazo",
    "happi", "happyscribe", "hashicorp", "hellosign", "helpcrunch", "helpscout", "hereapi", "heroku", "hiveage",
    "hockeyapp", "honeycomb", "hubspot", "huggingface", "iconfinder", "iexcloud", "imagekit", "imagga", "influxdb",
    "infomaniak", "infracost", "insightly", "integromat", "intercom", "intrinio", "invoiceocean", "ipapi",
    "ipgeolocation", "ipify", "ipinfodb", "ipquality", "ipstack", "jira", "jotform", "jumpcloud", "karmacrm",
    "keenio", "kickbox", "klaviyo", "klipfolio", "kontent", "kucoin", "kylas", "langchain", "langfuse",
    "languagelayer", "lastfm", "launchdarkly", "leadfeeder", "lendflow", "lexigram", "lichess", "linemessaging",
    "linenotify", "linkedin", "linkpreview", "liveagent", "livestorm", "locationiq", "loginradius", "lokalise",
    "loyverse", "luno", "madkudu", "mailboxlayer", "mailchimp", "mailerlite", "mailersend", "mailgun", "mailjet",
    "mailmodo", "mailsac", "mandrill", "mapbox", "mapquest", "marketstack", "mattermost", "mavenlink", "maxmind",
    "meaningcloud", "mediastack", "meistertask", "mem0", "meraki", "mergify", "mesibo", "messagebird", "metaapi",
    "metrilo", "midise", "midtrans", "mindmeister", "minimax", "miro", "mistral", "mixmax", "mixpanel", "mongodb",
    "moonclerk", "moosend", "mrticktock", "myintervals", "nasdaq", "nethunt", "netlify", "neutrinoapi", "newrelic",
    "newsapi", "newscatcher", "newyorktimes", "nexmo", "nftport", "ngrok", "nicereply", "notion", "nozbe", "nuget",
    "numverify", "nutritionix", "nvidia", "nylas", "nytimes", "oanda", "okta", "ollama", "omnisend", "onedesk",
    "onelogin", "onepagecrm", "onesignal", "onfido", "onwater", "oopspam", "openai", "opencage", "opencagedata",
    "opengraphr", "openrouter", "openshift", "openuv", "openweather", "opsgenie", "optimizely", "owlbot",
    "pagerduty", "pandadoc", "pandascore", "paralleldots", "partnerstack", "passbase", "pastebin", "paymoapp",
    "paymongo", "paypal", "paystack", "pdflayer", "pdfshift", "peopledatalabs", "pepipost", "perplexity",
    "pinecone", "pinterest", "pipedream", "pipedrive", "pivotaltracker", "pixabay", "plaid", "planetscale",
    "planview", "planyo", "plivo", "poloniex", "polymarket", "positionstack", "postageapp", "posthog", "postman",
    "postmark", "powrbot", "privateai", "prospectcrm", "prospectio", "protocolsio", "proxycrawl", "pubnub",
    "purestake", "pushbullet", "pusher", "qualaroo", "qubole", "quickmetrics", "rainforest", "rapidapi", "rawg",
    "razorpay", "rebrandly", "repairshopr", "replicate", "resend", "restpack", "revampcrm", "ringcentral",
    "ritekit", "rocketreach", "roninapp", "rootly", "route4me", "rownd", "runpod", "runrunit", "salesblink",
    "salescookie", "salesflare", "salesforce", "samsara", "satismeter", "saucelabs", "scaleway", "scalingo",
    "scalr", "scrapeowl", "scraperapi", "scraperbox", "scrapersite", "scrapestack", "scrapfly", "scrapingant",
    "scrapingbee", "screenshotapi", "screenshotlayer", "securitytrails", "selectpdf", "sendbird", "sendgrid",
    "sendinblue", "sentry", "serphouse", "serpstack", "settlemint", "sheety", "sherpadesk", "shipday", "shippo",
    "shodan", "shopify", "shotstack", "shutterstock", "sidekiq", "signalwire", "signaturit", "signupgenius",
    "sigopt", "simplesat", "simplynoted", "simvoly", "sirv", "siteleaf", "skrapp", "skybiometry", "slack",
    "smartsheet", "smartystreets", "smooch", "snipcart", "snowflake", "snyk", "sourcegraph", "sparkpost", "splunk",
    "spoonacular", "sportsmonk", "spotify", "squareapp", "squarespace", "sslmate", "stitchdata", "stockdata",
    "storecove", "stormglass", "storyblok", "strava", "stripe", "stytch", "sugester", "sumologic", "supabase",
    "supernotes", "surveyanyplace", "surveybot", "surveysparrow", "survicate", "swiftype", "tailscale", "tallyfy",
    "tatum", "taxjar", "teamgate", "technicalanalysisapi", "telnyx", "text2data", "textmagic", "theoddsapi",
    "thinkific", "thousandeyes", "thunderstore", "ticketmaster", "tiingo", "timezoneapi", "tmetric", "todoist",
    "togetherai", "toggl", "tomorrowio", "tomtom", "tradier", "travelpayouts", "travisci", "trello", "twelvedata",
    "twilio", "twitch", "twitter", "tyntec", "typeform", "ubidots", "unifyid", "unkey", "unplugg", "unsplash",
    "upcdatabase", "upcloud", "uplead", "uploadcare", "upstage", "upstash", "upwave", "urlscan", "userstack",
    "vatlayer", "vercel", "verimail", "veriphone", "versioneye", "viewneo", "virustotal", "visualcrossing",
    "voicegain", "vouchery", "voyageai", "vpnapi", "vultr", "vyte", "wakatime", "walkscore", "wandb", "weatherbit",
    "weatherstack", "webex", "webflow", "webscraper", "webscraping", "wepay", "whoxy", "woocommerce", "workato",
    "workos", "worksnaps", "worldcoinindex", "worldweather", "xendit", "yandex", "youneedabudget", "yousign",
    "youtube", "zapier", "zendesk", "zenkit", "zenscrape", "zenserp", "zeplin", "zerobounce", "zipapi", "zipbooks",
    "zipcodeapi", "zoho", "zonka", "zuplo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_short_enough() {
        assert!(SERVICES.is_sorted());
        assert!(SERVICES.iter().all(|name| (4..=MAX_NAME).contains(&name.len())));
    }

    #[test]
    fn a_name_is_found_in_any_case_and_with_more_behind_it() {
        let check = |word: &str, expected: bool| assert_eq!(is_service(word.as_bytes()), expected, "{word}");
        check("ipstack", true);
        check("IPSTACK", true);
        check("ipstackApi", true);
        check("finnhub", true);
        check("ipst", false);
        check("", false);
        check("okta", true);
        check("oktagon", false);
        check("primary", false);
        check("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", false);
    }
}
