//! Tests of the built program: its stdin, stdout, stderr, exit code and files.

mod backfill;
mod bad_input;
mod cache;
mod cli;
mod cli_check;
mod cli_output;
mod cli_test;
mod cli_validate;
mod commands;
mod completion;
mod doctor;
mod doctor_entries;
mod doubts;
mod edits;
mod examples;
#[cfg(target_os = "linux")]
mod faults;
mod files;
mod five_minutes;
mod guide;
mod harnesses;
mod hint_push;
mod hints_carry;
mod hints_cli;
mod hints_guide;
mod hints_hostile;
mod hints_mcp;
mod hints_place;
mod hints_scene;
mod hook;
mod hook_input;
mod imports;
mod json;
mod last_good;
mod mcp;
mod mcp_client;
mod mcp_hidden;
mod mcp_protocol;
mod memory;
mod memory_context;
mod memory_damage;
mod memory_exchange;
mod memory_flips;
mod memory_forget;
mod memory_guide;
mod memory_health;
mod memory_scene;
mod memory_search;
mod memory_sessions;
mod memory_show;
mod memory_stress;
mod memory_told;
mod nexus_cli;
mod nexus_events;
mod nexus_gates;
mod nexus_guide;
mod nexus_history;
mod nexus_init;
#[cfg(target_os = "linux")]
mod nexus_lock;
mod nexus_plan;
mod nexus_race;
mod nexus_scene;
mod nexus_session;
mod nexus_stress;
mod nexus_tags;
mod nexus_task;
mod notes;
mod notes_gc;
mod notes_guide;
mod notes_mcp;
mod notes_rules;
#[cfg(unix)]
mod notices;
mod opencode_plugin;
mod options;
mod patterns;
mod payload;
mod plugin;
mod privacy;
mod privacy_derived;
mod project;
mod readme;
mod reference;
#[cfg(target_os = "linux")]
mod relay;
mod release;
mod repository;
mod rule_files;
mod sandbox;
#[cfg(target_os = "linux")]
mod server_folders;
#[cfg(target_os = "linux")]
mod server_frozen;
mod server_group;
#[cfg(target_os = "linux")]
mod server_handover;
#[cfg(target_os = "linux")]
mod server_identity;
#[cfg(target_os = "linux")]
mod server_large;
#[cfg(target_os = "linux")]
mod server_limits;
mod server_rpc;
mod server_safety;
mod servers;
mod setup;
mod setup_faults;
mod shell;
mod sources;
#[cfg(unix)]
mod stranger;
#[cfg(unix)]
mod stranger_paths;
#[cfg(target_os = "linux")]
mod strangers;
#[cfg(unix)]
mod supply_chain;
#[cfg(unix)]
mod terminal;
mod tidy;
mod traps;
mod why;
mod wire;
