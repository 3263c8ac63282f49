"""Random programs of threads, coroutines and code that is made at run time, around arrays.

Threads are joined, or take turns by queues, locks, barriers and events, so that the output is the same each time;
coroutines run by asyncio (gather, queues, async with and for); exec, eval and compile make functions whose globals
change; context variables, thread-local state and NumPy's error state of each thread are read and set.
"""
from template import TemplateProgram, table

HEAD = '''
import asyncio, contextlib, contextvars, functools, queue, threading, types
from concurrent.futures import ThreadPoolExecutor
VARIABLE = contextvars.ContextVar('VARIABLE', default=1)
LOCAL = threading.local()
LOCK = threading.RLock()
scope = {'np': np, 'factor': 2}
shared = {}

def scaled(values, by=2):
    return values * by + 1

def norm(values):
    return float(np.sqrt((values * values).sum()))

def in_thread(function, *args):
    """What the function gives, or raises, in a thread of its own."""
    result = []
    def body():
        try:
            result.append(function(*args))
        except Exception as error:
            result.append(f'{type(error).__name__}: {error}')
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    return result[0]

def in_turn(function, items):
    """A worker thread that gets its items by a queue and gives results by another."""
    jobs, done = queue.Queue(), queue.Queue()
    def worker():
        while (item := jobs.get()) is not None:
            try:
                done.put(function(item))
            except Exception as error:
                done.put(str(error))
    thread = threading.Thread(target=worker)
    thread.start()
    results = []
    for item in items:
        jobs.put(item)
        results.append(done.get(timeout=20))
    jobs.put(None)
    thread.join()
    return results

def passing(values, rounds):
    """Two threads that change one array by turns."""
    turns = [threading.Event(), threading.Event()]
    def play(mine):
        for k in range(rounds):
            turns[mine].wait(20)
            turns[mine].clear()
            try:
                values[k % len(values)] += mine + 1
            except Exception as error:
                log.append(str(error))
            turns[1 - mine].set()
    threads = [threading.Thread(target=play, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    turns[0].set()
    for thread in threads:
        thread.join()
    return values

def counted(values, threads=3, rounds=4):
    """Threads that add under a lock: the sum does not depend on their order."""
    total = [0]
    def add(part):
        for _ in range(rounds):
            with LOCK:
                total[0] += int(part.size)
    started = [threading.Thread(target=add, args=(values[k::threads],)) for k in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return total[0]

class Scope:
    def __init__(self, name):
        self.name = name
    async def __aenter__(self):
        log.append('enter ' + self.name)
        await asyncio.sleep(0)
        return self
    async def __aexit__(self, kind, error, trace):
        log.append(f'leave {self.name} {kind and kind.__name__}')
        return self.name == 'quiet'

class Each:
    def __init__(self, values):
        self.values, self.at = values, 0
    def __aiter__(self):
        return self
    async def __anext__(self):
        if self.at >= len(self.values):
            raise StopAsyncIteration
        self.at += 1
        return self.values[self.at - 1]

async def stepping(values, by=1):
    total = 0
    try:
        for value in values[:4]:
            total = total + value * by
            got = yield total
            if got is not None:
                total = got
            await asyncio.sleep(0)
    finally:
        log.append('stepping ends')

async def slow(values, by):
    await asyncio.sleep(0)
    part = values * by
    await asyncio.sleep(0)
    return part.sum()

async def failing(values):
    await asyncio.sleep(0)
    raise ValueError(f'of {len(values)}')

@contextlib.asynccontextmanager
async def managed(values):
    before = values.copy()
    try:
        yield before
    finally:
        log.append(bool((before == values).all()))

@types.coroutine
def bare(values):
    got = yield values.sum()
    return values * got

async def produce(values):
    line = asyncio.Queue(2)
    async def put():
        for value in values[:5]:
            await line.put(value * 2)
        await line.put(None)
    task = asyncio.ensure_future(put())
    found = []
    while (item := await line.get()) is not None:
        found.append(item)
    await task
    return np.array(found, values.dtype)

def drive(coroutine, *sent):
    """Steps a coroutine by hand."""
    seen = []
    try:
        seen.append(coroutine.send(None))
        for value in sent:
            seen.append(coroutine.send(value))
    except StopIteration as stop:
        seen.append(stop.value)
    finally:
        coroutine.close()
    return seen
'''.strip().splitlines()

THREADS = table("""
y = in_thread(scaled, x); y = in_thread(scaled, x, {n}); log.append(in_thread(norm, x)); log.append(in_thread(lambda: {e})); log.append(in_turn(norm, [x, y, x[1:]])); log.append(in_turn(lambda v: {e}, [{n}, {n}])); y = in_turn(scaled, [x, y])[0]; passing(x, {k}); passing(y, {k}); log.append(counted(x, {k})); log.append(in_thread(np.geterr)['divide'])
with LOCK: // ~x = {a}; with LOCK, LOCK: // ~y = {a} // ~log.append({e}); LOCAL.value = {e}; log.append(getattr(LOCAL, 'value', None)); log.append(in_thread(lambda: getattr(LOCAL, 'value', 'unset'))); log.append(in_thread(VARIABLE.get)); with ThreadPoolExecutor(1) as pool: // ~log.append(list(pool.map(norm, [x, y, x]))); with ThreadPoolExecutor(1) as pool: // ~task = pool.submit(scaled, x, {n}) // ~y = task.result(); with ThreadPoolExecutor(1) as pool: // ~tasks = [pool.submit(lambda k: (x + k).sum(), k) for k in range({k})] // ~log.append([task.result() for task in tasks])
timer = threading.Timer(0, log.append, ('timer',)) // timer.start() // timer.join(); gate = threading.Barrier(2) // log.append(in_thread(gate.wait, 0.01)); with np.errstate(all='ignore'): // ~log.append(in_thread(lambda: np.geterr()['invalid'])); np.seterr(invalid={w}); log.append(threading.active_count()); log.append(threading.current_thread() is threading.main_thread()); log.append(in_thread(lambda: threading.current_thread() is threading.main_thread())); found = [] // thread = threading.Thread(target=lambda: found.append({e})) // thread.start() // thread.join() // log.append(found)
""")
ASYNC = table("""
log.append(await slow(x, {n})); log.append(await asyncio.gather(slow(x, 1), slow(y, {n}))); log.append([await slow(x, k) for k in range({k})]); log.append([v async for v in stepping(x)]); log.append([v async for v in Each(x) if v == v]); async for v in stepping(x, {n}): // ~log.append(v); async for v in Each(x): // ~if v > {n}: // ~~break // ~y = y + 1; async for v in Each(x[:3]): // ~y = y * 2 // else: // ~log.append('all')
async with Scope('a') as s: // ~y = {a} // ~log.append(s.name); async with Scope('quiet'): // ~await failing(x); async with managed(x) as before: // ~x = x + 1; async with Scope('a'), managed(y): // ~await slow(x, 2); try: // ~await failing(y) // except ValueError as e: // ~log.append(str(e)); task = asyncio.ensure_future(slow(x, {n})) // log.append(await task); task = asyncio.create_task(failing(x)) // log.append(await asyncio.gather(task, slow(x, 1), return_exceptions=True)); y = await produce(x); VARIABLE.set({n}); log.append(VARIABLE.get())
task = asyncio.create_task(slow(x, 1)) // task.cancel() // try: // ~await task // except asyncio.CancelledError: // ~log.append('cancelled'); gen = stepping(x) // log.append(await gen.__anext__() if len(x) else 0) // await gen.aclose(); log.append(await asyncio.wait_for(slow(y, 2), 20)); await asyncio.sleep(0); lock = asyncio.Lock() // async with lock: // ~y = {a}; log.append({{k: await slow(x, k) for k in range(2)}}); async def inner(v): // ~await asyncio.sleep(0) // ~return v + {n} // y = await inner(x); log.append(sum([k async for k in Each([1, 2, 3])])); log.append((lambda v: v)(await slow(x, 2)))
""")
MADE = table("""
log.append(eval({q})); log.append(eval('x + factor', scope, {{'x': x}})); scope['factor'] = {n}; exec('y = x * factor', scope, shared) if 'x' in scope else scope.update(x=x); log.append(sorted(shared)); exec('def made(v):\\n    return v * factor + {n}', scope); log.append(scope['made'](x) if 'made' in scope else 0); y = scope['made'](x) if 'made' in scope else y; code = compile('[v + {n} for v in x]', 'made', 'eval') // log.append(eval(code, {{'x': x}})); names = dict(x=x, y=y) // exec('x = x + 1; y = x', names) // y = names['y']
made = types.FunctionType(scaled.__code__, scope, 'made', ({n},)) // y = made(x); scaled.__defaults__ = ({n},); y = scaled(x); held = scaled.__code__ // scaled.__code__ = (lambda values, by=2: values - by).__code__ // y = scaled(x) // scaled.__code__ = held; made = eval('lambda v, k={n}: v * k') // y = made(x); exec(compile('for k in range(3): x = x * 2', 'loop', 'exec'), names := {{'x': x}}) // y = names['x']; exec('import math; z = math.sqrt(4)', scope) // log.append(scope['z']); log.append(eval('np.sum(x)', {{'np': np, 'x': x}})); made = types.SimpleNamespace(a=x, f=scaled) // y = made.f(made.a); module = types.ModuleType('module') // exec('k = {n}\\ndef f(v): return v + k', module.__dict__) // y = module.f(x) // module.k = 9 // y = module.f(y)
token = VARIABLE.set({n}) // log.append(VARIABLE.get()) // VARIABLE.reset(token); log.append(contextvars.copy_context().run(lambda: VARIABLE.get() * 2)); context = contextvars.copy_context() // context.run(VARIABLE.set, {n}) // log.append((context[VARIABLE], VARIABLE.get())); y = contextvars.copy_context().run(scaled, x, {n}); log.append(drive(bare(x), {n})); log.append(drive(slow(x, {n}))); log.append(locals().keys() >= {{'x'}}); log.append(sorted(k for k in globals() if k in ('log', 'scope'))); globals()['shared'] = {{}}; setattr(scaled, 'mark', {n}) // log.append(scaled.mark); made = functools.partial(scaled, by={n}) // y = made(x); y = {a}; x = {a}; x[:1] += {n}; x += y[:1]; log.append({e}); log.append({e})
""")


class ConcurrencyProgram(TemplateProgram):
    head = HEAD
    blanks = {"n": ("0", "1", "2", "3", "0.5", "-1", "1.5"), "k": ("2", "3", "4"), "w": ("'warn'", "'ignore'", "'raise'"),
              "q": ("'x.sum()'", "'scaled(x)'", "'[v for v in (x, y)]'", "'len(x) + 1'", "'norm(y)'"),
              "e": ("x.sum()", "norm(x)", "(x + {n}).max(initial=0)", "len(y)", "float((x * {n}).sum())", "VARIABLE.get()", "np.sqrt(abs(x)).sum()",
                    "(x / {n}).tolist()[:1]", "scaled(x, {n})[:2]", "x.dtype", "int(len(x))"),
              "a": ("x + {n}", "x * {n}", "y * 2", "scaled(x, {n})", "np.sqrt(abs(x))", "x + x[::-1]", "np.where(x > {n}, x, 0)", "x - x.sum()", "x.copy()", "np.tanh(x)", "x / {n}")}
    conditions = ("len(x) > 2", "norm(x) > 1", "x is y", "x.any()")

    def function(self, name):
        kind = self.pick(("threads", "async", "made"))
        self.statements = {"threads": THREADS, "async": ASYNC + MADE[-8:], "made": MADE}[kind]
        if kind != "async":
            return super().function(name)
        self.emit(0, "async def body(x, y):")
        for _ in range(self.random.randint(3, 7)):
            self.statement(1)
        self.emit(1, "return x, y")
        self.emit(0, f"def {name}(x, y):")
        self.emit(1, "return asyncio.run(body(x, y))")



