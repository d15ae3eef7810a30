"""Small symmetric systems in plain Python: four unknowns do not pay for importing numpy."""

Vector = list[float]
Matrix = list[list[float]]


def solve(matrix: Matrix, right: Vector) -> Vector:
    """Return x with ``matrix`` x = ``right`` by Gauss elimination with pivoting; the matrix must be regular."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(rows[r][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for other in range(column + 1, size):
            factor = rows[other][column] / rows[column][column]
            for k in range(column, size + 1):
                rows[other][k] -= factor * rows[column][k]
    answer = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][k] * answer[k] for k in range(row + 1, size))
        answer[row] = (rows[row][size] - known) / rows[row][row]
    return answer


def inverse(matrix: Matrix) -> Matrix:
    size = len(matrix)
    return [solve(matrix, [1.0 if i == j else 0.0 for i in range(size)]) for j in range(size)]
