"""What docs/results/cpu.md says of its runs (page.py)."""

from page import Page, lines

PAGE = Page("cpu", measured={"run": ("*/cpu",), "cores": ("*/cpu",)})
BESIDE = (
    ("Canny L1, 7 % edges", "canny !gaussian", 4),
    ("Canny L1 after Gaussian 5 × 5", "canny gaussian", 5),
    ("LoG", "log", 6),
    ("Gaussian 5 × 5", "gaussian 5x5 !canny", 1.5),
    ("Gaussian 15 × 15", "gaussian 15x15", 3),
    ("Sobel magnitude u8", "sobel magnitude", 8),
    ("Sobel gx and gy s16", "sobel gradients", 1.5),
    ("convolve u8 3 × 3", "convolve full u8 3x3", 4),
    ("convolve u8 5 × 5", "convolve full u8 5x5", 5),
    ("convolve u8 9 × 9", "convolve full u8 9x9", 6),
    ("convolve f32 3 × 3", "convolve full f32 3x3", 1.5),
    ("convolve f32 5 × 5", "convolve full f32 5x5", 2),
    ("convolve f32 9 × 9", "convolve full f32 9x9", 3),
    ("close + open 15 × 15, u8", "close ellipse:15 !bits", 50),
    ("close + open 15 × 15, bits", "close ellipse:15 bits !disk:15", 50),
    ("components with stats and labels: objects", "components specks !bits", 6),
    ("components with stats and labels: 2 % random", "components 2 !bits", 6),
    ("components with stats and labels: 50 % random", "components 50 !bits", 6),
    ("moving-object chain, 596 × 336", "motion 596", 15),
    ("moving-object chain, 720p", "motion 1280", 15),
    ("moving-object chain, 1080p", "motion 1920", 15),
)
MISSED = ("close + open", "2 % random", "50 % random", "chain")
ALONE = (
    ("Canny L1, 21 % edges", "canny !gaussian"),
    ("Gaussian 5 × 5, then Canny L1, 4 % edges", "canny gaussian"),
    ("LoG", "log"),
    ("Gaussian 5 × 5", "gaussian 5x5 !canny"),
    ("Gaussian 15 × 15", "gaussian 15x15"),
    ("Sobel magnitude u8", "sobel magnitude"),
    ("Sobel gx and gy s16", "sobel gradients"),
    ("convolve 5 × 5, u8", "convolve full 5x5 u8"),
    ("convolve 5 × 5, f32", "convolve full 5x5 f32"),
    ("median 5 × 5, u8", "median 5x5 u8"),
    ("close + open 15 × 15, u8", "close ellipse:15 u8 !bits"),
    ("close + open 15 × 15, bits", "close ellipse:15 bits !disk:15"),
    ("components: objects", "components specks !bits"),
    ("components: 50 % random", "components 50 !bits"),
)


@PAGE.part
def two_threads(page, run):
    page.say(
        "run",
        run["machine"]["threads"],
        run["commit"][:7],
        run["machine"]["peers"][0].replace("opencv", "OpenCV")[:10],
    )
    rows = [
        (name, run.ms(words + " opencv") / run.ms(words + " simd"), target)
        for name, words, target in BESIDE
    ]
    page.table(
        "beside_opencv",
        lines(
            ["work", "times OpenCV", "target"],
            *([name, f"{times:.1f}", f"{target:g}"] for name, times, target in rows),
        ),
    )
    page.say("missed", [sum(times < target for _, times, target in rows), len(rows)])
    page.holds(
        "missed",
        all(
            (times < target) == any(word in name for word in MISSED) for name, times, target in rows
        ),
    )


@PAGE.part
def sixteen_threads(page, cores):
    commits = [part["commit"][:7] for part in cores["runs"]]
    page.say("cores", cores["machine"]["threads"], commits[0], commits[-1])
    page.holds("cores", commits == 6 * commits[:1] + 3 * commits[-1:])

    def times(words):
        found = [cores.row(f"{words} simd {size}") for size in (1024, 4096)]
        return [[row["ms"], row["times_copy"]] for row in found]

    page.table(
        "alone",
        lines(
            ["work", "1024 × 1024", "4096 × 4096"],
            *([name, *times(words)] for name, words in ALONE),
            form="{} · {}",
        ),
    )
