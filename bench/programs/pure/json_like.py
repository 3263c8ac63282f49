"""A recursive-descent parser and printer of JSON, written out."""


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        while self.text[self.at] in " \n\t\r":
            self.at += 1
        return self.text[self.at]

    def expect(self, char):
        if self.peek() != char:
            raise SyntaxError(f"{char} expected at {self.at}")
        self.at += 1

    def value(self):
        char = self.peek()
        if char == "{":
            return self.object()
        if char == "[":
            return self.array()
        if char == '"':
            return self.string()
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        return self.number()

    def number(self):
        start = self.at
        while self.text[self.at] in "+-.0123456789eE":
            self.at += 1
        text = self.text[start:self.at]
        return float(text) if "." in text else int(text)

    def string(self):
        self.expect('"')
        start = self.at
        while self.text[self.at] != '"':
            self.at += 1
        self.at += 1
        return self.text[start:self.at - 1]

    def array(self):
        self.expect("[")
        items = []
        while self.peek() != "]":
            items.append(self.value())
            if self.peek() == ",":
                self.at += 1
        self.expect("]")
        return items

    def object(self):
        self.expect("{")
        items = {}
        while self.peek() != "}":
            key = self.string()
            self.expect(":")
            items[key] = self.value()
            if self.peek() == ",":
                self.at += 1
                self.peek()
        self.expect("}")
        return items


def dump(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{k}": {dump(v)}' for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    return {True: "true", False: "false", None: "null"}[value] if value in (None, True, False) \
        and not isinstance(value, (int, float)) or isinstance(value, bool) else repr(value)


row = {"id": 17, "name": "a record", "tags": ["x", "y", "z"], "ok": True, "none": None,
       "nested": {"pi": 3.25, "list": list(range(20))}}
text = dump([dict(row, id=i) for i in range(4500)]) + " "
value = Parser(text).value()
assert dump(value) + " " == text
print(len(text), value[-1]["id"], value[3]["nested"]["list"][-1])
