//! Line and column numbers in a text.

/// Converts offsets in a text to line and column numbers. Conversions of offsets to line numbers are fastest if the offsets are in ascending order.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// Offset of the start of the line that the previous conversion found.
    start: usize,
    line: usize,
}

impl<'t> LineIndex<'t> {
    /// Prepares the conversion of offsets in a text to line numbers.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            start: 0,
            line: 1,
        }
    }

    /// Returns the line number and the column number of the byte at `offset`, which may be the end of the text. Lines and columns are counted from 1,
    /// and columns are counted in characters.
    pub fn at(&mut self, offset: usize) -> (usize, usize) {
        if offset < self.start {
            *self = Self::new(self.text);
        }
        let passed = &self.text[self.start..offset];
        self.line += passed.matches('\n').count();
        if let Some(end) = passed.rfind('\n') {
            self.start += end + 1;
        }
        let column = self.text[self.start..offset].chars().count() + 1;
        (self.line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_any_order() {
        let mut places = LineIndex::new("a\nbü c\n\nd");
        assert_eq!(places.at(6), (2, 4));
        assert_eq!(places.at(0), (1, 1));
        assert_eq!(places.at(9), (4, 1));
        assert_eq!(places.at(10), (4, 2));
        assert_eq!(places.at(8), (3, 1));
        assert_eq!(places.at(2), (2, 1));
    }
}
