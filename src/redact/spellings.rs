//! More names that say their value is secret: other languages, other spellings, settings of single programs.
//!
//! The words come from general knowledge of the languages and programs.

use super::assignments;
use super::trigger::Family;
use super::trigger::{Case, Detector, Trigger};

const fn name(literal: &'static str, family: Family) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Name(family) }
}

#[rustfmt::skip]
pub(super) const TRIGGERS: &[Trigger] = &[
    name("senha", Family::Password),
    name("contrasena", Family::Password),
    name("wachtwoord", Family::Password),
    name("has\u{142}o", Family::Password),
    name("l\u{f6}senord", Family::Password),
    name("losenord", Family::Password),
    name("\u{be44}\u{bc00}\u{bc88}\u{d638}", Family::Password),
    name("pswd", Family::Password),
    name("psswd", Family::Password),
    name("passw0rd", Family::Password),
    name("password_hash", Family::Password),
    name("password_digest", Family::Password),
    name("dbpass", Family::Password),
    name("_pw", Family::Password),
    name("--pw", Family::Password),
    name("dbpw", Family::Password),
    Trigger { literal: "PW=", case: Case::Exact, detector: Detector::Line(assignments::short_name) },
    name("requirepass", Family::Password),
    name("masterauth", Family::Password),
    name("api key", Family::Token),
    name("secret key", Family::Token),
    name("access key", Family::Token),
    name("recovery key", Family::Token),
    name("bw_session", Family::Token),
    name("gitlab_session", Family::Token),
    name("npmauthident", Family::Token),
    name("auth_salt", Family::Token),
    name("provisiondevicekey", Family::Token),
    name("contribsys__com", Family::Secret),
];
