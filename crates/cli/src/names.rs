//! Names that the user may have meant.

/// Enough to choose from.
const SHOWN: usize = 5;

/// The names most like this one, nearest first; none where nothing is like it.
pub fn near(name: &str, known: &[String]) -> Vec<String> {
    let wanted = name.to_lowercase();
    let allowed = wanted.chars().count() / 3;
    let mut found: Vec<(usize, &String)> = known
        .iter()
        .map(|candidate| (distance_to_part(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(SHOWN).map(|(_, name)| name.clone()).collect()
}

/// The distance to the whole name or to one of its parts: `count` is near to `queue.counts`.
fn distance_to_part(wanted: &str, candidate: &str) -> usize {
    let parts = candidate.split(['.', '[', ']', '#', '+']).filter(|part| !part.is_empty());
    let distances = parts.map(|part| distance(wanted, part));
    distances.chain([distance(wanted, candidate)]).min().unwrap_or(usize::MAX)
}

/// How many letters must be put in, left out or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: &[&str]) {
        let known = ["queue.count", "queue.head", "request.completed", "x"].map(String::from);
        assert_eq!(near(name, &known), expected);
    }

    #[test]
    fn slips_are_recognised() {
        check("queue.cuont", &["queue.count"]);
        check("Head", &["queue.head"]);
        check("complete", &["request.completed"]);
        check("elephant", &[]);
        check("y", &[]);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
