"""Random programs that call SciPy and pandas with arrays that NumPy made, and go on with what they give.

They use what is installed: a package that is not is named in the output, and its calls raise. Set
DYNACC_TEST_PACKAGES to a virtual environment that has them (tests/ecosystem/ecosystem.py makes one).
"""
import functools
import glob
import os
import subprocess
import sys

from template import TemplateProgram, table

PACKAGES = ("scipy", "pandas")

HEAD = '''
def load(name):
    try:
        return __import__(name, fromlist=['*'])
    except ImportError:
        print('without', name)

pd = load('pandas')
special, linalg, signal, stats, optimize = (load('scipy.' + name) for name in ('special', 'linalg', 'signal', 'stats', 'optimize'))
interpolate, integrate, ndimage, sparse, fft = (load('scipy.' + name) for name in ('interpolate', 'integrate', 'ndimage', 'sparse', 'fft'))
spatial = load('scipy.spatial')

def tell(name, value):
    """Prints what a library gave, as arrays where it is made of them."""
    if pd is not None and isinstance(value, (pd.Series, pd.Index)):
        return show(name, [type(value).__name__, np.asarray(value), str(value.dtype), str(value.name)])
    if pd is not None and isinstance(value, pd.DataFrame):
        return show(name, [list(map(str, value.columns)), *[np.asarray(value[c]) for c in value.columns]])
    if sparse is not None and sparse.issparse(value):
        return show(name, value.toarray())
    show(name, value)

def matrix(values, size=3):
    made = np.resize(np.nan_to_num(values.real.astype(float), posinf=1, neginf=2), (size, size))
    return made @ made.T + np.eye(size) * 4

def finite(values):
    return np.nan_to_num(values.real.astype(float), posinf=3, neginf=-3)

def series(values, name='v'):
    return pd.Series(values, name=name)

def frame(values):
    n = len(values)
    return pd.DataFrame({'k': np.arange(n) % 3, 'v': values, 'w': finite(values) * 2})

def parabola(v, a=1.0):
    return ((v - a) ** 2).sum()

def slope(t, y):
    return -0.5 * y + np.sin(t)
'''.strip().splitlines()

SCIPY = table("""
special.expit(w); special.logit(w / 9); special.erf(w); special.erfc(x); special.gamma(abs(w)); special.gammaln(abs(w) + 1); special.softmax(w); special.logsumexp(w); special.xlogy(abs(w), 2); special.expit(x); special.j0(w); special.ndtr(w); special.digamma(w + 10); special.binom(9, np.arange(4)); special.expm1(w); special.logsumexp(w.reshape(1, -1), axis=0); special.log_softmax(w); special.entr(abs(w)); special.huber(1, w); special.comb(9, np.arange(3))
linalg.solve(matrix(w), np.ones(3)); linalg.cholesky(matrix(w)); linalg.inv(matrix(w)); linalg.det(matrix(w)); linalg.norm(w); linalg.expm(matrix(w) / 99); linalg.lu(matrix(w))[1]; linalg.qr(matrix(w))[1]; linalg.svdvals(matrix(w)); linalg.eigvalsh(matrix(w)); linalg.toeplitz(w[:4]); linalg.block_diag(matrix(w, 2), [[1]]); linalg.solve_triangular(np.tril(matrix(w)), np.ones(3), lower=True); linalg.pinv(matrix(w)); linalg.hilbert(3)
signal.convolve(w, [1, 2, 1]); signal.fftconvolve(w, [1., 2]); signal.lfilter([1, .5], [1, -.3], w); signal.detrend(w); signal.windows.hann(7); signal.medfilt(w, 3); signal.find_peaks(w)[0]; signal.hilbert(w).imag; signal.savgol_filter(np.resize(w, 9), 5, 2); signal.butter(2, 0.3)[0]; signal.resample(w, 4); signal.correlate(w, w, 'same')
stats.zscore(w); stats.skew(w); stats.kurtosis(w); stats.norm.pdf(w); stats.norm.cdf(w); stats.norm.ppf(abs(w) % 1); stats.rankdata(w); stats.trim_mean(w, .1); stats.gmean(abs(w) + 1); stats.iqr(w); stats.pearsonr(np.arange(9.), np.resize(w, 9))[0]; stats.linregress(np.arange(9.), np.resize(w, 9)).slope; stats.mode(np.round(w)).count; stats.entropy(abs(w) + 1); stats.sem(w); stats.describe(w).variance; stats.spearmanr(np.arange(9), np.resize(w, 9))[0]
optimize.minimize(parabola, w[:2] if len(w) > 1 else [0., 1]).x.round(3); optimize.brentq(lambda v: v ** 3 - 2, 0, 3); optimize.newton(lambda v: v * v - 3, 1.0); optimize.root(lambda v: v * v - 2, [1.0]).x; optimize.nnls(matrix(w), np.ones(3))[0]; optimize.minimize_scalar(lambda v: (v - w.sum()) ** 2).x.round(3); optimize.curve_fit(lambda t, a: a * t, np.arange(5.), np.arange(5.) * 2)[0]; optimize.fsolve(lambda v: v - np.cos(v), 1.0); optimize.least_squares(lambda v: v - w[:1].sum(), [0.]).x.round(3)
interpolate.interp1d(np.arange(5), np.resize(w, 5))([.5, 1.5]); interpolate.CubicSpline(np.arange(5), np.resize(w, 5))(2.2); interpolate.UnivariateSpline(np.arange(6), np.resize(w, 6), s=0)(1.5); integrate.quad(lambda t: t * t, 0, 1)[0]; integrate.simpson(w, dx=1.0); integrate.cumulative_trapezoid(w); integrate.solve_ivp(slope, (0, 2), [1.0]).y[0, -1]; integrate.odeint(lambda y, t: -y, [1.0], [0, 1, 2])[:, 0]; integrate.trapezoid(w)
ndimage.gaussian_filter(w, 1); ndimage.uniform_filter1d(w, 3); ndimage.convolve1d(w, [1, 2, 1]); ndimage.maximum_filter(w, 3); ndimage.label(w > 0)[0]; ndimage.shift(w, 1); ndimage.rotate(matrix(w), 90); ndimage.generic_filter(w, np.sum, 3); ndimage.center_of_mass(abs(w) + 1); ndimage.zoom(w, 2) if len(w) else 0
sparse.csr_matrix(matrix(w)) @ np.ones(3); sparse.csr_matrix(matrix(w)); sparse.diags(w[:3]).sum(); sparse.coo_matrix((np.resize(w, 3), ([0, 1, 2], [1, 0, 2]))); sparse.eye(3) * 2; sparse.csc_matrix(matrix(w)).T; sparse.csr_matrix(matrix(w)).multiply(2); sparse.vstack([sparse.eye(2), sparse.eye(2)]); sparse.csr_matrix(matrix(w)).max(); fft.fft(w).real; fft.rfft(w).imag; fft.dct(w); fft.ifft(fft.fft(w)).real; fft.fftfreq(5); fft.next_fast_len(11); spatial.distance.cdist(w[:3].reshape(-1, 1), w[:2].reshape(-1, 1)); spatial.distance.euclidean(w, w); spatial.distance.pdist(w[:4].reshape(-1, 1)); spatial.cKDTree(w.reshape(-1, 1)).query([[0.]])[0]
""")
PANDAS = table("""
series(x) + 1; series(x).sum(); series(x).mean(); series(x).cumsum(); series(x).rolling(2).sum(); series(w).rolling(3, min_periods=1).mean(); series(x).diff(); series(x).shift(1); series(x) > 0; series(x)[series(x) > 0]; series(x).fillna(3); series(x).isna(); series(w).rank(); series(w).describe(); series(w).quantile([.25, .5]); series(x).to_numpy() + x; np.sqrt(abs(series(w))); np.exp(series(w) / 9); series(x).values * 2; series(x) * series(x); x + series(x); series(w).apply(lambda v: v * 2); series(w).map(np.tanh); series(w).agg(['sum', 'max']); series(w).clip(-1, 1); series(w).where(series(w) > 0, 0); series(w).sort_values(); series(x).value_counts().to_numpy(); series(w).ewm(alpha=.5).mean(); series(w).pct_change(); series(x).iloc[:2]; series(x).loc[0:1]; series(w).interpolate(); series(w).round(1); series(x).unique(); series(w).idxmax(); series(w).std(); series(w).dot(w); series(x).astype(float) if x.dtype.kind != 'c' else 0; np.where(series(x) > 0, x, 0); np.add.reduce(series(w)); np.concatenate([series(x), x])
frame(x); frame(x)['v'] * 2; frame(x).sum(); frame(w).mean(); frame(w).groupby('k').sum(); frame(w).groupby('k')['v'].mean(); frame(w).groupby('k').v.transform('sum'); frame(w).groupby('k').agg({{'v': 'max', 'w': 'min'}}); frame(w).groupby('k').apply(lambda g: g.v.sum()); frame(w).assign(z=lambda d: d.v + d.w); frame(w).query('v > 0'); frame(w)[frame(w).v > 0]; frame(w).values; frame(w).to_numpy() @ np.ones(3); frame(w).merge(frame(w)[:3], on='k').v; frame(w).pivot_table(values='v', index='k'); frame(w).sort_values('v').w; frame(w).corr(); frame(w).cov(); frame(w).apply(np.sum); frame(w).apply(lambda c: c.max() - c.min()); frame(w).apply(lambda r: r.v + r.w, axis=1); frame(w).eval('v + w'); frame(w).rolling(2).mean(); frame(w).T.iloc[0]; frame(w).melt().value; frame(w).iloc[:2, 1]; frame(w).loc[:, 'v']; frame(w).dropna(); frame(w).duplicated(); np.exp(frame(w) / 99); frame(w) - frame(w).mean(); frame(w).clip(0, 1); frame(w).drop(columns='k').max(axis=1); frame(w).cumsum(); frame(w).nlargest(2, 'v'); frame(w).stack().to_numpy(); frame(w).select_dtypes('float').sum(); frame(w).itertuples().__next__()[1]; frame(w).isin([0.0]).sum()
pd.concat([series(x), series(x)]); pd.date_range('2020-01-01', periods=3); pd.to_datetime(['2020-01-05']).dayofweek; pd.cut(w, [-9, 0, 9]).codes; pd.factorize(np.round(w))[0]; pd.get_dummies(np.arange(3)); pd.isna(x); pd.Categorical(['a', 'b', 'a']).codes; pd.Series(['a', 'bc']).str.len(); pd.Series(['a', 'bc']).str.upper(); pd.Series(w, index=pd.date_range('2020-01-01', periods=len(w))).resample('2D').sum(); pd.Series([1, None]).sum(); pd.array([1, None], dtype='Int64') + 1; pd.Timestamp('2020-01-01').month; pd.Timedelta('1D') * 2; pd.MultiIndex.from_product([[0, 1], [2]]).to_numpy(); pd.crosstab(np.arange(3) % 2, np.arange(3)).to_numpy(); pd.eval('1 + 2'); pd.qcut(np.arange(6), 3).codes; pd.Index(w[:3]).union(pd.Index([1.0])); pd.to_numeric(pd.Series(['1', '2.5'])); pd.Interval(0, 1).mid
""")
STATEMENTS = table("""
tell('v', {v}); tell('v', {v}); tell('v', {v}); z = {v} // tell('z', z); w = w + 1; w = finite(np.asarray({v})) if True else w; x = x * 2; w = np.tanh(w); y = w[::-1] * 2; log.append(type({v}).__name__); w = w * w.sum() / 99; z = {v} // tell('s', np.sum(np.asarray(z))); for k in range(2): // ~w = w + k // ~tell('k', {v}); with np.errstate(all='ignore'): // ~tell('q', {v}); with warnings.catch_warnings(): // ~warnings.simplefilter('ignore') // ~tell('q', {v}); w[:1] = 2.5; w = np.where(w > 0, w, -w); tell('w', w - w.mean()); w = np.sort(w)
""")


class LibraryCallProgram(TemplateProgram):
    head = HEAD
    statements = STATEMENTS
    conditions = ("len(w) > 2", "w.any()", "x is y", "w.sum() > 0")

    def function(self, name):
        self.blanks = {"v": self.pick((SCIPY, PANDAS))}
        self.emit(0, f"def {name}(x, y):")
        self.emit(1, "w = finite(x)")
        for _ in range(self.random.randint(3, 7)):
            self.statement(1)
        self.emit(1, "return x, y, w")


@functools.lru_cache
def packages_environment():
    """The environment variables that let programs import the packages; None where none of them is installed."""
    folders = glob.glob(os.path.join(os.environ.get("DYNACC_TEST_PACKAGES", "nowhere"), "lib/python3.*/site-packages"))
    environment = {"PYTHONPATH": folders[0]} if folders else {}
    looking = f"import importlib.util as u, sys; sys.exit(not any(map(u.find_spec, {PACKAGES})))"
    done = subprocess.run([sys.executable, "-c", looking], env={**os.environ, **environment}, check=False)
    return environment if done.returncode == 0 else None
