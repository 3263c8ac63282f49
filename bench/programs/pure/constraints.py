"""One-way constraints between variables, planned and executed (after DeltaBlue)."""


class Variable:
    def __init__(self, name, value):
        self.name = name
        self.value = value
        self.constraints = []
        self.determined_by = None
        self.mark = 0


class Constraint:
    def __init__(self, strength):
        self.strength = strength

    def inputs(self):
        return ()

    def satisfied(self):
        return all(variable.mark for variable in self.inputs())


class Equal(Constraint):
    def __init__(self, left, right, strength=5):
        super().__init__(strength)
        self.left, self.right = left, right
        left.constraints.append(self)

    def inputs(self):
        return (self.left,)

    @property
    def output(self):
        return self.right

    def execute(self):
        self.right.value = self.left.value


class Scale(Equal):
    def __init__(self, left, factor, offset, right):
        super().__init__(left, right)
        self.factor, self.offset = factor, offset
        factor.constraints.append(self)
        offset.constraints.append(self)

    def inputs(self):
        return (self.left, self.factor, self.offset)

    def execute(self):
        self.right.value = self.left.value * self.factor.value + self.offset.value


class Planner:
    def __init__(self):
        self.current = 0

    def plan(self, roots):
        self.current += 1
        for root in roots:
            root.mark = self.current
        plan, work = [], list(roots)
        while work:
            variable = work.pop()
            for constraint in variable.constraints:
                output = constraint.output
                if output.mark != self.current and constraint.satisfied():
                    output.mark = self.current
                    output.determined_by = constraint
                    plan.append(constraint)
                    work.append(output)
        return plan


def chain(n):
    variables = [Variable(f"v{i}", i) for i in range(n + 1)]
    for left, right in zip(variables, variables[1:]):
        Equal(left, right)
    return variables


def projection(n):
    factor, offset = Variable("factor", 10), Variable("offset", 1000)
    pairs = [(Variable(f"s{i}", i), Variable(f"d{i}", 0)) for i in range(n)]
    for source, target in pairs:
        Scale(source, factor, offset, target)
    return factor, offset, pairs


def main(n, rounds):
    planner = Planner()
    variables = chain(n)
    factor, offset, pairs = projection(n)
    roots = [factor, offset] + [source for source, _ in pairs]
    for value in range(rounds):
        variables[0].value = value
        for constraint in planner.plan([variables[0]]):
            constraint.execute()
        factor.value = value
        for constraint in planner.plan(roots):
            constraint.execute()
    print(variables[-1].value, sum(target.value for _, target in pairs))


main(1500, 160)
