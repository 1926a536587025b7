//! Notes: what only machines of one kind, or policies made for them, tell.

use std::any::Any;
use std::fmt::Debug;

/// What only machines of one kind tell; their own record knows the type.
pub trait Note: Any + Debug {}

impl<T: Any + Debug> Note for T {}
