"""The paper's method, whole: tensors, their training by gradient or by relaxation, and the choice of the next row."""
