//! The key of this machine.

use crate::store::fixture::{DataFolder, NOW};

#[test]
fn a_key_is_made_once_and_replaced_on_request() {
    let (one, two) = (DataFolder::new(), DataFolder::new());
    assert_eq!(one.store().machine_key(), Ok(None));
    let key = one.store().own_machine_key(NOW).unwrap();
    assert_eq!(one.store().own_machine_key(NOW), Ok(key));
    assert_eq!(one.reader().unwrap().machine_key(), Ok(Some(key)));
    assert_ne!(two.store().own_machine_key(NOW), Ok(key));
    let renewed = one.store().renew_machine_key(NOW).unwrap();
    assert_ne!(renewed, key);
    assert_eq!(one.store().own_machine_key(NOW), Ok(renewed));
}
