//! Buffers of dictionary codes, whose memory is reused.

use std::collections::VecDeque;
use std::rc::Rc;

/// Maximum number of codes in the unused buffers. Buffers are kept because the operating system would be slow to allocate their memory again.
const MAX_RECYCLED_CODES: usize = 1 << 22;

#[derive(Default)]
pub(super) struct CodeBuffers {
    free: VecDeque<Vec<u32>>,
    room: usize,
}

impl CodeBuffers {
    pub(super) fn list(&mut self, len: usize) -> Vec<u32> {
        let mut list = self.free.pop_front().unwrap_or_default();
        self.room -= list.capacity();
        list.clear();
        list.reserve(len);
        list
    }

    /// Keeps the memory of an unused list for another list.
    pub(super) fn recycle(&mut self, list: Vec<u32>) {
        if self.room + list.capacity() <= MAX_RECYCLED_CODES {
            self.room += list.capacity();
            self.free.push_front(list);
        }
    }

    /// Keeps the memory of the codes of previous worlds, unless there are other references to them. The buffers that were returned last are used
    /// first.
    pub(super) fn retire(&mut self, codes: Rc<Vec<u32>>) {
        if let Ok(codes) = Rc::try_unwrap(codes)
            && self.room + codes.capacity() <= MAX_RECYCLED_CODES
        {
            self.room += codes.capacity();
            self.free.push_back(codes);
        }
    }

    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.room = 0;
    }
}
