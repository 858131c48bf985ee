//! Tables as plain text: the first column to the left, the others to the right.

use std::fmt;

pub struct Table {
    title: &'static str,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(title: &'static str) -> Table {
        Table { title, rows: Vec::new() }
    }

    pub fn heading(&mut self, cells: impl Iterator<Item = String>) {
        self.rows.push(cells.collect());
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        for row in &self.rows {
            write!(f, "  ")?;
            for (column, cell) in row.iter().enumerate() {
                let width = self.width(column);
                match column {
                    0 => write!(f, "{cell:<width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("Numbers");
        table.heading(["name", "n"].map(String::from).into_iter());
        table.row(vec!["a".into(), "100".into()]);
        assert_eq!(table.to_string(), "Numbers\n  name    n\n  a     100\n");
    }
}
