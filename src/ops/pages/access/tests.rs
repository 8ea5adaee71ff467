//! Tickets and grants over time.

use super::*;

fn access() -> PageAccess {
    PageAccess { state: Mutex::default(), folder: None }
}

#[test]
fn a_ticket_works_once_and_for_a_minute() {
    let access = access();
    let ticket = access.ticket_at(PageScope::Read, 0);
    assert!(access.enter_at(&ticket, 60_000).is_ok());
    assert_eq!(access.enter_at(&ticket, 60_000), Err(TicketError::Unknown));
    let late = access.ticket_at(PageScope::Read, 0);
    assert_eq!(access.enter_at(&late, 60_001), Err(TicketError::Unknown));
    let of_another_server = self::access().ticket_at(PageScope::Read, 0);
    assert_eq!(access.enter_at(&of_another_server, 0), Err(TicketError::Unknown));
}

#[test]
fn only_the_latest_tickets_are_out() {
    let access = access();
    let tickets: Vec<String> = (0..9).map(|_| access.ticket_at(PageScope::Read, 0)).collect();
    assert_eq!(access.enter_at(&tickets[0], 1), Err(TicketError::Unknown));
    assert!(access.enter_at(&tickets[1], 1).is_ok());
}

#[test]
fn wrong_tickets_close_the_way_in_for_a_minute() {
    let access = access();
    for at in 0..20 {
        assert_eq!(access.enter_at("wrong", at), Err(TicketError::Unknown));
    }
    let ticket = access.ticket_at(PageScope::Read, 30);
    assert_eq!(access.enter_at(&ticket, 30), Err(TicketError::Closed));
    assert!(access.enter_at(&access.ticket_at(PageScope::Read, 60_100), 60_100).is_ok());
}

#[test]
fn a_request_needs_both_halves() {
    let access = access();
    let [one, two] = [0, 1].map(|at| access.enter_at(&access.ticket_at(PageScope::Read, at), at).unwrap());
    assert!(access.check_at(&one.cookie, &one.key, 2).is_some());
    for (cookie, key) in [
        (one.cookie.as_str(), ""),
        ("", one.key.as_str()),
        (&one.cookie, &two.key),
        (&two.cookie, &one.key),
        (&one.key, &one.cookie),
        (&one.cookie, &one.cookie),
    ] {
        assert_eq!(access.check_at(cookie, key, 2), None);
    }
}

#[test]
fn a_page_ends_when_it_is_unused_or_old() {
    let grant = |access: &PageAccess| access.enter_at(&access.ticket_at(PageScope::Read, 0), 0).unwrap();
    let access = access();
    let page = grant(&access);
    let is_open = |at: i64| access.check_at(&page.cookie, &page.key, at).is_some();
    assert!((1..=30).all(|day| is_open(day * DAY_MS)), "a page that is used daily");
    assert!(!is_open(30 * DAY_MS + 1));
    let idle = grant(&access);
    assert!(access.check_at(&idle.cookie, &idle.key, MAX_IDLE_MS).is_some());
    assert!(access.check_at(&idle.cookie, &idle.key, 2 * MAX_IDLE_MS + 1).is_none());
}

#[test]
fn the_right_to_change_ends_after_an_hour() {
    let access = access();
    let page = access.enter_at(&access.ticket_at(PageScope::Edit, 0), 0).unwrap();
    assert_eq!((page.scope, page.until_ms), (PageScope::Edit, EDIT_MS));
    let scope = |at: i64| access.check_at(&page.cookie, &page.key, at).map(|grant| grant.scope);
    assert_eq!([scope(EDIT_MS - 1), scope(EDIT_MS)], [Some(PageScope::Edit), Some(PageScope::Read)]);
}

#[test]
fn the_page_that_was_unused_longest_makes_room() {
    let access = access();
    let pages: Vec<NewGrant> =
        (0..16).map(|at| access.enter_at(&access.ticket_at(PageScope::Read, at), at).unwrap()).collect();
    assert!(access.check_at(&pages[0].cookie, &pages[0].key, 100).is_some());
    access.enter_at(&access.ticket_at(PageScope::Read, 101), 101).unwrap();
    let is_open = |page: &NewGrant| access.check_at(&page.cookie, &page.key, 102).is_some();
    assert_eq!(pages.iter().map(is_open).filter(|is_open| !is_open).count(), 1);
    assert!(!is_open(&pages[1]));
}
