//! The pages of a database file and of its log, read without SQLite: a file that SQLite refuses can still be read page
//! by page.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::files::{open_regular, private_file};

/// The page size of nudge's databases, for a file without a valid header.
const PAGE_SIZE: usize = 4096;
/// How many pages are read at once.
const RUN: u32 = 64;
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
pub(super) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A database file with its log; each of the two may be missing or damaged.
pub(super) struct Pages {
    main: Option<File>,
    main_pages: u32,
    log: Option<File>,
    /// Where the newest version of a page is in the log.
    frames: HashMap<u32, u64>,
    page_size: usize,
    user_version: u32,
    /// The pages that were read last, and the number of the first.
    run: (u32, Vec<u8>),
}

impl Pages {
    pub(super) fn open(main: Option<&Path>, log: &Path) -> io::Result<Pages> {
        let read = |path: &Path| open_regular(path, private_file().read(true));
        let mut main = main.map(read).transpose()?;
        let mut header = [0; 100];
        if let Some(main) = &mut main {
            drop(main.read_exact(&mut header));
        }
        let whole = header.starts_with(MAGIC);
        let page_size =
            if whole { page_size(u16::from_be_bytes([header[16], header[17]])) } else { PAGE_SIZE };
        let bytes = main.as_ref().map_or(Ok(0), |main| main.metadata().map(|meta| meta.len()))?;
        let mut pages = Pages {
            main,
            main_pages: u32::try_from(bytes / page_size as u64).unwrap_or(u32::MAX),
            log: read(log).ok(),
            frames: HashMap::new(),
            page_size,
            user_version: if whole { number(&header, 60) } else { 0 },
            run: (0, Vec::new()),
        };
        pages.find_frames();
        Ok(pages)
    }

    /// Returns the number of the last page.
    pub(super) fn last(&self) -> u32 {
        self.frames.keys().copied().max().unwrap_or(0).max(self.main_pages)
    }

    /// Returns the version of the schema, 0 if it is not known.
    pub(super) fn user_version(&self) -> u32 {
        self.user_version
    }

    /// Returns the numbers of the pages that the log has a version of.
    pub(super) fn logged(&self) -> Vec<u32> {
        self.frames.keys().copied().collect()
    }

    /// Returns a page as it was written last; `None` if it cannot be read.
    pub(super) fn read(&mut self, page: u32) -> Option<Vec<u8>> {
        let size = self.page_size;
        if let (Some(at), Some(log)) = (self.frames.get(&page), &mut self.log) {
            return read_at(log, *at, size);
        }
        if page == 0 || page > self.main_pages {
            return None;
        }
        let main = self.main.as_mut()?;
        let start = (page - 1) / RUN * RUN;
        if self.run.1.is_empty() || self.run.0 != start {
            let pages = RUN.min(self.main_pages - start) as usize;
            // A bad sector must cost only its own page: the others are read one by one below.
            let run = read_at(main, u64::from(start) * size as u64, pages * size).unwrap_or_default();
            self.run = (start, run);
        }
        let within = (page - 1 - start) as usize * size;
        match self.run.1.get(within..within + size) {
            Some(bytes) => Some(bytes.to_vec()),
            None => read_at(main, u64::from(page - 1) * size as u64, size),
        }
    }

    /// Finds the committed pages of the log.
    ///
    /// SQLite stops at the first frame whose checksum is wrong. Every frame of this log has the salts of the log's
    /// header, and frames of an earlier log have others, so the frames after a damaged one can be distinguished from
    /// old ones.
    fn find_frames(&mut self) {
        let Some(log) = &mut self.log else { return };
        let Some(header) = read_at(log, 0, LOG_HEADER) else { return };
        let size = self.page_size;
        let frame = |log: &mut File, index: u64| {
            let at = LOG_HEADER as u64 + index * (FRAME_HEADER + size) as u64;
            let header = read_at(log, at, FRAME_HEADER)?;
            Some((header, at + FRAME_HEADER as u64))
        };
        let salts = if is_whole_log_header(&header) {
            header[16..24].to_vec()
        } else {
            match frame(log, 0) {
                Some((first, _)) => first[8..16].to_vec(),
                None => return,
            }
        };
        let mut uncommitted = HashMap::new();
        for index in 0.. {
            let Some((header, at)) = frame(log, index) else { break };
            if header[8..16] != salts {
                continue;
            }
            uncommitted.insert(number(&header, 0), at);
            if number(&header, 4) != 0 {
                self.frames.extend(uncommitted.drain());
            }
        }
    }
}

fn read_at(file: &mut File, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
    Some(bytes)
}

pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_be_bytes([four[0], four[1], four[2], four[3]]))
}

fn page_size(field: u16) -> usize {
    match field {
        1 => 65_536,
        512..=32_768 if field.is_power_of_two() => field.into(),
        _ => PAGE_SIZE,
    }
}

/// Compares the log's header with its checksum.
fn is_whole_log_header(header: &[u8]) -> bool {
    let magic = number(header, 0);
    if magic & !1 != 0x377f_0682 {
        return false;
    }
    let word = |at| if magic & 1 == 1 { number(header, at) } else { number(header, at).swap_bytes() };
    let (mut first, mut second) = (0_u32, 0_u32);
    for at in (0..24).step_by(8) {
        first = first.wrapping_add(word(at)).wrapping_add(second);
        second = second.wrapping_add(word(at + 4)).wrapping_add(first);
    }
    (first, second) == (number(header, 24), number(header, 28))
}
