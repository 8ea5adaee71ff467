//! What is forgotten, and that nothing of it remains.

use std::fs;

use crate::model::{ObservationId, Project, Search, Selection, SessionId, Timestamp};
use crate::store::fixture::{DataFolder, NOW, command, project, prompt};

#[test]
fn each_selection_forgets_just_what_it_names() {
    let session = Selection::Session(SessionId("s2".to_owned()));
    for (selection, gone) in [
        (Selection::Ids(vec![ObservationId(1), ObservationId(99)]), vec![1]),
        (Selection::Ids(vec![]), vec![]),
        (Selection::Query("deploy staging".to_owned()), vec![2]),
        (Selection::Query("deploy OR test".to_owned()), vec![1, 2, 3]),
        (Selection::Query("?".to_owned()), vec![]),
        (session, vec![3]),
        (Selection::Project(project("other")), vec![4]),
        (Selection::Project(Project { root: Some("/else".to_owned()), ..project("other") }), vec![]),
        (Selection::Before(Timestamp(NOW.0 - 5)), vec![2]),
        (
            Selection::Within(
                project("other"),
                Box::new(Selection::Ids(vec![ObservationId(1), ObservationId(4)])),
            ),
            vec![4],
        ),
    ] {
        let folder = DataFolder::new();
        let mut store = folder.with(&[
            command("deploy prod"),
            command("deploy to staging").ago(9),
            command("test").session("s2"),
            command("ls").of("other"),
        ]);
        let would = store.would_forget(&selection).unwrap();
        assert_eq!(store.integrity().unwrap().rows, 4);
        let forgotten = store.forget(&selection).unwrap();
        assert_eq!((would.count, would.sample), (gone.len(), forgotten.sample.clone()), "{selection:?}");
        let mut shown: Vec<i64> = forgotten.sample.iter().map(|hit| hit.id.0).collect();
        shown.sort_unstable();
        assert_eq!(shown, gone, "{selection:?}");
        let left: Vec<i64> = (1..=4).filter(|id| !gone.contains(id)).collect();
        let rows = store.get(&(1..=4).map(ObservationId).collect::<Vec<_>>()).unwrap();
        assert_eq!(rows.iter().map(|row| row.id.0).collect::<Vec<_>>(), left, "{selection:?}");
        assert!(store.integrity().unwrap().is_sound());
    }
}

/// Returns all bytes of the database and its side files, in lower case.
fn bytes(folder: &DataFolder) -> Vec<u8> {
    let files = fs::read_dir(folder.path().parent().unwrap()).unwrap();
    files
        .flat_map(|file| fs::read(file.unwrap().path()).unwrap())
        .map(|byte| byte.to_ascii_lowercase())
        .collect()
}

fn has(folder: &DataFolder, text: &str) -> bool {
    memchr::memmem::find(&bytes(folder), text.as_bytes()).is_some()
}

#[test]
fn what_is_forgotten_is_in_no_page_of_the_files() {
    let folder = DataFolder::new();
    let mut rows: Vec<_> = (0..3_000).map(|n| command(&format!("make target{n} other{}", n * 7))).collect();
    let secret = prompt("the password is zqxhunterzqx for swordfishInTheSea")
        .path("vault/zqxplacezqx")
        .of("zqxprojectzqx");
    rows.insert(1_500, secret);
    let mut store = folder.with(&rows);
    // The copy that a migration left must be removed too.
    fs::copy(folder.path(), folder.path().with_extension("db.v1.backup")).unwrap();
    for text in ["zqxhunterzqx", "zqxplacezqx", "zqxprojectzqx"] {
        assert!(has(&folder, text), "{text}");
    }
    let forgotten = store.forget(&Selection::Query("zqxhunterzqx".to_owned())).unwrap();
    assert_eq!((forgotten.count, forgotten.scrubbed), (1, true));
    for text in ["zqxhunter", "hunterzqx", "zqxplace", "zqxproject", "swordfish"] {
        assert!(!has(&folder, text), "{text}");
    }
    let search = Search { text: "zqxhunterzqx swordfish".to_owned(), limit: 9, ..Search::default() };
    assert_eq!(store.search(&search, NOW).unwrap(), []);
    assert!(store.integrity().unwrap().is_sound());
}

#[test]
fn what_is_forgotten_in_bulk_is_in_no_page_either() {
    let folder = DataFolder::new();
    let rows: Vec<_> = (0..3_000)
        .map(|n| command(&format!("make target{n} zqx{n}zqx")).of(["zqxprojectzqx", "other"][n % 2]))
        .collect();
    let mut store = folder.with(&rows);
    let forgotten = store.forget(&Selection::Project(project("zqxprojectzqx"))).unwrap();
    assert_eq!((forgotten.count, forgotten.scrubbed), (1_500, true));
    for text in ["zqxproject", "zqx1000zqx", "target1000 ", "zqx2zqx"] {
        assert!(!has(&folder, text), "{text}");
    }
    assert!(has(&folder, "zqx1001zqx"));
    assert!(store.integrity().unwrap().is_sound());
    assert_eq!(store.would_forget(&Selection::Query("target1000 OR zqx2zqx".to_owned())).unwrap().count, 0);
}

#[test]
fn a_reader_in_the_way_is_reported() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("one"), command("two")]);
    store.connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    let reader = folder.reader().unwrap();
    let mut statement = reader.connection.prepare("SELECT id FROM observations").unwrap();
    let mut rows = statement.query([]).unwrap();
    rows.next().unwrap();
    assert!(!store.forget(&Selection::Ids(vec![ObservationId(1)])).unwrap().scrubbed);
}

#[test]
fn forgetting_many_rows_frees_the_space() {
    let folder = DataFolder::new();
    let rows: Vec<_> = (0..5_000).map(|n| command(&format!("make target{n}"))).collect();
    let mut store = folder.with(&rows);
    store.shrink().unwrap();
    let before = fs::metadata(folder.path()).unwrap().len();
    store.forget(&Selection::Project(project("nudge"))).unwrap();
    let after = fs::metadata(folder.path()).unwrap().len();
    assert!(after * 4 < before, "{before} → {after}");
}

#[test]
fn a_pinned_row_is_counted_before_it_is_forgotten() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("one"), command("two")]);
    store.set_pinned(ObservationId(2), true).unwrap();
    let would = store.would_forget(&Selection::Project(project("nudge"))).unwrap();
    assert_eq!((would.count, would.pinned, would.scrubbed), (2, 1, false));
    assert!(would.sample[0].pinned);
}
