//! Notes: events that only machines of one kind, or policies made for them, tell.

use std::any::Any;
use std::fmt::Debug;

/// An event that only machines of one kind tell. The record of the machine knows its type.
pub trait Note: Any + Debug {}

impl<T: Any + Debug> Note for T {}
