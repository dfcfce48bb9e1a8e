"""Rules over real variables: intervals, truth on boxes, equalities that are solved, and boxes that cover the set."""
