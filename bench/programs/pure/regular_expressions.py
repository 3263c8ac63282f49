"""Regular expressions: a tokeniser, substitutions by functions, compiled and cached patterns."""
import re

TOKEN = re.compile(r"(?P<number>\d+(\.\d*)?)|(?P<name>[A-Za-z_]\w*)|(?P<op>[-+*/=()<>]+)|(?P<space>\s+)")
SOURCE = "alpha = beta1 * (gamma_2 + 3.25) / 17 - delta <= 40 "


def tokens(text):
    return [(match.lastgroup, match.group()) for match in TOKEN.finditer(text)]


def substituted(text):
    return re.sub(r"[a-z]+(_?\d)?", lambda match: match.group().title(), text)


counts = {}
for kind, _ in tokens(SOURCE * 22000):
    counts[kind] = counts.get(kind, 0) + 1
text = substituted(SOURCE * 10000)
dates = " ".join(f"{1900 + i % 200}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(60000))
years = sum(int(year) for year, month in re.findall(r"(\d{4})-(\d\d)-\d\d", dates) if month < "06")
print(counts, text[:30], years, bool(re.fullmatch(r"(\w+\W+)+", SOURCE * 40)))
