"""Linked structures: a binary search tree, a trie, a shortest path with a heap."""
import heapq


class Node:
    def __init__(self, key):
        self.key = key
        self.left = self.right = None


def insert(root, key):
    if root is None:
        return Node(key)
    node = root
    while True:
        if key < node.key:
            if node.left is None:
                node.left = Node(key)
                return root
            node = node.left
        elif key > node.key:
            if node.right is None:
                node.right = Node(key)
                return root
            node = node.right
        else:
            return root


def height(node):
    return 0 if node is None else 1 + max(height(node.left), height(node.right))


class Trie:
    def __init__(self):
        self.children = {}
        self.ends = False

    def add(self, word):
        node = self
        for letter in word:
            node = node.children.setdefault(letter, Trie())
        node.ends = True

    def count(self):
        return self.ends + sum(child.count() for child in self.children.values())


def distances(graph, start):
    best, queue = {start: 0}, [(0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        if distance > best[node]:
            continue
        for other, length in graph[node]:
            if distance + length < best.get(other, 1 << 60):
                best[other] = distance + length
                heapq.heappush(queue, (distance + length, other))
    return best


root = None
for i in range(40000):
    root = insert(root, i * 7919 % 100003)
trie = Trie()
for i in range(20000):
    trie.add(str(i * 7919 % 100003))
graph = {i: [((i * 3 + k) % 20000, k * 5 + i % 7 + 1) for k in range(1, 5)] for i in range(20000)}
print(height(root), trie.count(), max(distances(graph, 0).values()))
