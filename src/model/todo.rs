//! What an agent has to do, as its own list says: items with their state, and how a change of the list changes it.

use serde::{Deserialize, Serialize};

/// At most this many items of a list are kept.
const MAX_ITEMS: usize = 40;

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TodoItem {
    /// The agent's own name for it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// Empty if a change does not name it.
    #[serde(default)]
    pub(crate) text: String,
    /// `None` if a change does not name it.
    #[serde(default)]
    pub(crate) state: Option<TodoState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TodoState {
    Pending,
    InProgress,
    Done,
    /// It is no longer wanted.
    Dropped,
}

/// What a call says about a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TodoChange {
    /// The whole list, as it is now.
    Whole(Vec<TodoItem>),
    /// Some items, which are known by their ids.
    Some(Vec<TodoItem>),
}

impl TodoItem {
    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.state, Some(TodoState::Done | TodoState::Dropped))
    }
}

/// Returns the list after a change.
pub(crate) fn changed_list(known: Vec<TodoItem>, change: TodoChange) -> Vec<TodoItem> {
    let mut list = match change {
        TodoChange::Whole(items) => items,
        TodoChange::Some(items) => {
            let mut list = known;
            for item in items {
                // Without an id, an item is known by its text: the same change may arrive twice.
                let is_same =
                    |one: &TodoItem| one.id == item.id && (item.id.is_some() || one.text == item.text);
                match list.iter_mut().find(|one| is_same(one)) {
                    Some(one) => {
                        one.state = item.state.or(one.state);
                        if !item.text.is_empty() {
                            one.text = item.text;
                        }
                    }
                    None => list.push(item),
                }
            }
            list
        }
    };
    list.retain(|item| item.state != Some(TodoState::Dropped));
    list.truncate(MAX_ITEMS);
    list
}

/// Writes a list as people write it.
pub(crate) fn list_text(items: &[TodoItem]) -> String {
    let line = |item: &TodoItem| {
        let mark = match item.state {
            Some(TodoState::Done) => "[x]",
            Some(TodoState::InProgress) => "[~]",
            _ => "[ ]",
        };
        format!("{mark} {}", item.text)
    };
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{TodoChange, TodoItem, TodoState, changed_list, list_text};

    fn item(id: &str, text: &str, state: Option<TodoState>) -> TodoItem {
        TodoItem { id: Some(id.to_owned()).filter(|id| !id.is_empty()), text: text.to_owned(), state }
    }

    fn check(known: &[TodoItem], change: TodoChange, expected: &str) {
        assert_eq!(list_text(&changed_list(known.to_vec(), change)), expected);
    }

    #[test]
    fn a_change_of_a_list_leaves_the_rest_of_it_alone() {
        let known = [item("1", "one", Some(TodoState::Done)), item("2", "two", None)];
        let whole = TodoChange::Whole(vec![item("", "new", Some(TodoState::InProgress))]);
        check(&known, whole, "[~] new");
        let set = TodoChange::Some(vec![item("2", "", Some(TodoState::InProgress))]);
        check(&known, set, "[x] one\n[~] two");
        // The call that made an item arrives again.
        check(&known, TodoChange::Some(vec![item("1", "one", None)]), "[x] one\n[ ] two");
        check(&known, TodoChange::Some(vec![item("3", "three", None)]), "[x] one\n[ ] two\n[ ] three");
        check(&known, TodoChange::Some(vec![item("1", "", Some(TodoState::Dropped))]), "[ ] two");
        let nameless = || TodoChange::Some(vec![item("", "x", None)]);
        check(&changed_list(Vec::new(), nameless()), nameless(), "[ ] x");
        check(&[], TodoChange::Whole(Vec::new()), "");
    }

    #[test]
    fn a_list_is_bounded() {
        let many = (0..500).map(|n| item(&n.to_string(), "x", None)).collect();
        assert_eq!(changed_list(Vec::new(), TodoChange::Whole(many)).len(), 40);
    }
}
