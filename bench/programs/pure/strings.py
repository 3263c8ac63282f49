"""String work: joins, splits, formatting, slices, searching, case, translation."""


def words(n):
    return [f"word{i * 7919 % 1000:03d}" for i in range(n)]


def caesar(text, shift):
    return "".join(chr((ord(c) - 97 + shift) % 26 + 97) if c.isalpha() else c for c in text)


def longest_palindrome(text):
    best = ""
    for middle in range(len(text)):
        for low, high in ((middle, middle), (middle, middle + 1)):
            while low >= 0 and high < len(text) and text[low] == text[high]:
                low, high = low - 1, high + 1
            if high - low - 1 > len(best):
                best = text[low + 1:high]
    return best


text = " ".join(words(150000))
parts = text.upper().lower().split(" ")
lines = ["%s|%5d|%-8s" % (part, i, part[:3]) for i, part in enumerate(parts)]
code = caesar(text, 3)
print(len("\n".join(lines)), code[:20], sum(line.count("0") for line in lines))
print(text.replace("word", "w").find("999"), longest_palindrome(text[:90000]))
