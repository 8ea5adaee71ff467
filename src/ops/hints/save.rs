//! Writes the server's hints to a file or stream as they arrive: a full store is too large to be read first.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::client::HintClient;
use crate::api::hints::ExportRequest;
use crate::files;
use crate::peers::CallError;

/// Which part of an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportPart {
    /// The store, which can be imported.
    Payload,
    /// The whole result, with the number of skipped secrets.
    Result,
}

/// Why an export is incomplete.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SaveError {
    #[error("{0}")]
    Call(CallError),
    /// The output could not be written.
    #[error("{0}")]
    Written(io::Error),
}

/// Writes an export as indented JSON; returns how many secrets were skipped, if only the store is written.
pub(crate) fn save(
    client: &mut HintClient,
    request: &ExportRequest,
    part: ExportPart,
    out: &mut dyn Write,
) -> Result<u64, SaveError> {
    let mut sink = CheckedWriter { out, failed: None };
    let read = client.export(request, |body| copy_answer(body, part, &mut sink)).map_err(SaveError::Call)?;
    if let Some(error) = sink.failed {
        return Err(SaveError::Written(error));
    }
    match read {
        Ok(ExportAnswer { error: Some(error), .. }) => Err(SaveError::Call(CallError::Refused(error))),
        Ok(answered) => {
            sink.out.write_all(b"\n").map(|()| answered.skipped_secrets).map_err(SaveError::Written)
        }
        Err(error) => Err(SaveError::Call(CallError::Unreachable(error.to_string()))),
    }
}

/// Writes an export to a file that only the user can read; an incomplete one is not kept.
pub(crate) fn save_to(
    path: &Path,
    client: &mut HintClient,
    request: &ExportRequest,
    part: ExportPart,
) -> Result<u64, SaveError> {
    files::write_whole(path, |file| save(client, request, part, file))
        .unwrap_or_else(|error| Err(SaveError::Written(error)))
}

fn copy_answer(
    body: &mut dyn Read,
    part: ExportPart,
    sink: &mut CheckedWriter<'_>,
) -> serde_json::Result<ExportAnswer> {
    // The connection has its own buffer.
    let mut deserializer = serde_json::Deserializer::from_reader(io::BufReader::new(body));
    let answered = Envelope { part, sink }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(answered)
}

#[derive(Debug, Default)]
struct ExportAnswer {
    error: Option<Value>,
    skipped_secrets: u64,
}

/// The output. It keeps the write error, because a JSON error would hide it.
struct CheckedWriter<'o> {
    out: &'o mut dyn Write,
    failed: Option<io::Error>,
}

impl Write for CheckedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).inspect_err(|error| self.failed = Some(io::Error::from(error.kind())))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The JSON-RPC answer, which contains the result.
struct Envelope<'s, 'o> {
    part: ExportPart,
    sink: &'s mut CheckedWriter<'o>,
}

/// The result, of which the store is written.
struct PayloadSeed<'s, 'o>(&'s mut CheckedWriter<'o>);

/// A value that is written as it is read.
struct CopiedValue<'s, 'o>(&'s mut CheckedWriter<'o>);

impl<'de> DeserializeSeed<'de> for Envelope<'_, '_> {
    type Value = ExportAnswer;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ExportAnswer, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Envelope<'_, '_> {
    type Value = ExportAnswer;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON-RPC answer")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<ExportAnswer, A::Error> {
        let mut answered = ExportAnswer::default();
        while let Some(name) = access.next_key::<String>()? {
            match (name.as_str(), self.part) {
                ("result", ExportPart::Payload) => {
                    answered.skipped_secrets = access.next_value_seed(PayloadSeed(self.sink))?;
                }
                ("result", ExportPart::Result) => access.next_value_seed(CopiedValue(self.sink))?,
                ("error", _) => answered.error = Some(access.next_value()?),
                _ => drop(access.next_value::<IgnoredAny>()?),
            }
        }
        Ok(answered)
    }
}

impl<'de> DeserializeSeed<'de> for PayloadSeed<'_, '_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PayloadSeed<'_, '_> {
    type Value = u64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an export")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<u64, A::Error> {
        let mut skipped_secrets = 0;
        while let Some(name) = access.next_key::<String>()? {
            match name.as_str() {
                "payload" => access.next_value_seed(CopiedValue(self.0))?,
                "skipped_secrets" => skipped_secrets = access.next_value()?,
                _ => drop(access.next_value::<IgnoredAny>()?),
            }
        }
        Ok(skipped_secrets)
    }
}

impl<'de> DeserializeSeed<'de> for CopiedValue<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let mut pretty = serde_json::Serializer::pretty(self.0);
        serde_transcode::transcode(deserializer, &mut pretty).map_err(D::Error::custom)
    }
}
