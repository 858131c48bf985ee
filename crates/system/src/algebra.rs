//! Linear algebra in integers.

/// A basis of the vectors orthogonal to all rows, in integers without common factor, by Gaussian
/// elimination; none if the numbers grow out of hand.
pub fn null_space(rows: Vec<Vec<i128>>, width: usize) -> Option<Vec<Vec<i128>>> {
    let mut rows = rows;
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..width {
        let rank = pivots.len();
        let Some(found) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != rank && row[column] != 0 {
                *row = combine(row, pivot[column], &pivot, row[column])?;
            }
        }
        pivots.push(column);
    }
    let free = (0..width).filter(|column| !pivots.contains(column));
    free.map(|column| solution(&rows, &pivots, column, width)).collect()
}

/// `a * left - b * right`, divided by the common factor.
pub fn combine(left: &[i128], a: i128, right: &[i128], b: i128) -> Option<Vec<i128>> {
    let pairs = left.iter().zip(right);
    let row: Option<Vec<i128>> =
        pairs.map(|(l, r)| a.checked_mul(*l)?.checked_sub(b.checked_mul(*r)?)).collect();
    Some(reduced(row?))
}

fn reduced(mut row: Vec<i128>) -> Vec<i128> {
    let factor = row.iter().fold(0, |factor, &x| gcd(factor, x));
    if factor > 1 {
        row.iter_mut().for_each(|x| *x /= factor);
    }
    row
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The vector that has one at this free column, as integers, and zero at the other free ones.
fn solution(
    rows: &[Vec<i128>],
    pivots: &[usize],
    column: usize,
    width: usize,
) -> Option<Vec<i128>> {
    let pairs = || pivots.iter().zip(rows).filter(|(_, row)| row[column] != 0);
    let mut scale: i128 = 1;
    for (&pivot, row) in pairs() {
        let needed = row[pivot] / gcd(row[pivot], row[column]);
        scale = (scale / gcd(scale, needed)).checked_mul(needed.abs())?;
    }
    let mut vector = vec![0; width];
    vector[column] = scale;
    for (&pivot, row) in pairs() {
        vector[pivot] = -(scale.checked_mul(row[column])? / row[pivot]);
    }
    Some(reduced(vector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_spaces() {
        // x + y + z and what is orthogonal to it.
        let basis = null_space(vec![vec![1, 1, 1], vec![2, 2, 2]], 3).unwrap();
        assert_eq!(basis, [vec![-1, 1, 0], vec![-1, 0, 1]]);
        let basis = null_space(vec![vec![2, 0, 3], vec![0, 5, 1]], 3).unwrap();
        assert_eq!(basis, [[-15, -2, 10]]);
        assert!(null_space(vec![vec![1, 0], vec![1, 1]], 2).unwrap().is_empty());
    }
}
