//! Compiled patterns. A hook compiles what its one event needs; a thread that tries the same rules on many events keeps
//! what it has compiled.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

thread_local! {
    static KEPT: RefCell<Option<HashMap<String, Rc<dyn Any>>>> = const { RefCell::new(None) };
}

/// Keeps everything that this thread compiles from now on; there is as much of it as there are patterns in its rules.
pub(crate) fn keep_compiled() {
    KEPT.with_borrow_mut(|kept| {
        kept.get_or_insert_default();
    });
}

/// Compiles a pattern, or returns the one that is kept under this name.
pub(super) fn compiled<T: 'static, E>(
    name: impl FnOnce() -> String,
    compile: impl FnOnce() -> Result<T, E>,
) -> Result<Rc<T>, E> {
    if KEPT.with_borrow(Option::is_none) {
        return compile().map(Rc::new);
    }
    let name = name();
    let known = KEPT.with_borrow(|kept| kept.as_ref().and_then(|kept| kept.get(&name).cloned()));
    if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
        return Ok(known);
    }
    let new = Rc::new(compile()?);
    KEPT.with_borrow_mut(|kept| {
        if let Some(kept) = kept {
            kept.insert(name, Rc::clone(&new) as Rc<dyn Any>);
        }
    });
    Ok(new)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::{compiled, keep_compiled};

    #[test]
    fn a_thread_compiles_a_pattern_once_if_it_keeps_them() {
        let counted = |keeps: bool| {
            if keeps {
                keep_compiled();
            }
            let times = Cell::new(0);
            for _ in 0..3 {
                let made: Result<_, ()> = compiled(
                    || "a".to_owned(),
                    || {
                        times.set(times.get() + 1);
                        Ok(1_u8)
                    },
                );
                assert_eq!(*made.unwrap(), 1);
            }
            let other: Result<_, ()> = compiled(|| "a".to_owned(), || Ok("of another kind"));
            assert_eq!(*other.unwrap(), "of another kind");
            times.get()
        };
        assert_eq!(thread::spawn(move || counted(true)).join().unwrap(), 1);
        assert_eq!(thread::spawn(move || counted(false)).join().unwrap(), 3);
    }
}
