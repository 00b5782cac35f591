import { LRUCache } from "lru-cache"
import type { Repository as RepositoryRow } from "../../access/permission.ts"
import type { Git, ObjectId, Repository } from "../../git/index.ts"
import { eachInTurn } from "./batches.ts"
import { resolveRevision } from "./revision.ts"

/** Programming languages by the endings of file names. Prose and data say little about what a repository is written in, and are left out. */
const BY_ENDING: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    Ada: "adb ads",
    Assembly: "asm s",
    Astro: "astro",
    Awk: "awk",
    Batchfile: "bat cmd",
    C: "c h",
    "C#": "cs csx",
    "C++": "cc cpp cxx hh hpp hxx",
    Clojure: "clj cljc cljs",
    CMake: "cmake",
    CoffeeScript: "coffee",
    "Common Lisp": "lisp lsp",
    Crystal: "cr",
    CSS: "css",
    Cuda: "cu cuh",
    D: "d",
    Dart: "dart",
    Elixir: "ex exs",
    Elm: "elm",
    "Emacs Lisp": "el",
    Erlang: "erl hrl",
    "F#": "fs fsi fsx",
    Fortran: "f f90 f95 for",
    GLSL: "frag glsl vert",
    Go: "go",
    Groovy: "gradle groovy",
    Haskell: "hs lhs",
    HCL: "hcl tf",
    HTML: "htm html xhtml",
    Java: "java",
    JavaScript: "cjs js jsx mjs",
    Julia: "jl",
    Kotlin: "kt kts",
    Less: "less",
    Lua: "lua",
    Makefile: "mk",
    Nim: "nim",
    Nix: "nix",
    "Objective-C": "m",
    "Objective-C++": "mm",
    OCaml: "ml mli",
    Pascal: "pas",
    Perl: "pl pm",
    PHP: "php phtml",
    PowerShell: "ps1 psm1",
    Prolog: "pro",
    Python: "py pyi pyw",
    R: "r",
    Racket: "rkt",
    Ruby: "gemspec rake rb ru",
    Rust: "rs",
    Sass: "sass",
    Scala: "sbt scala",
    Scheme: "scm ss",
    SCSS: "scss",
    Shell: "bash fish ksh sh zsh",
    Solidity: "sol",
    Svelte: "svelte",
    Swift: "swift",
    SystemVerilog: "sv svh",
    Tcl: "tcl",
    TeX: "cls sty tex",
    TypeScript: "cts mts ts tsx",
    "Vim Script": "vim",
    "Visual Basic .NET": "vb",
    Verilog: "v",
    VHDL: "vhd vhdl",
    Vue: "vue",
    WebAssembly: "wat",
    Zig: "zig",
  }).flatMap(([language, endings]) => endings.split(" ").map((ending) => [ending, language])),
)

const BY_NAME: Readonly<Record<string, string>> = {
  "cmakelists.txt": "CMake",
  dockerfile: "Dockerfile",
  gemfile: "Ruby",
  gnumakefile: "Makefile",
  makefile: "Makefile",
  rakefile: "Ruby",
}

/** Directories of what others wrote, or machines. */
const FOREIGN = /^(node_modules|vendor|third[-_]party|bower_components|dist|docs?|documentation)$/i
/** What tools write for other tools. */
const MADE = /\.min\.(js|css)$|\.pb\.go$/i

/** The language of a file by its name alone, or undefined. */
export function languageOf(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (MADE.test(lower)) return undefined
  if (Object.hasOwn(BY_NAME, lower)) return BY_NAME[lower]
  const ending = lower.slice(lower.lastIndexOf(".") + 1)
  return lower.includes(".") && Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined
}

/** Source files of one repository that are measured. */
const MOST_FILES = 50_000

type Counted = Readonly<Record<string, number>>
const counted = new WeakMap<Git, LRUCache<string, Promise<Counted>>>()

function countedBy(git: Git): LRUCache<string, Promise<Counted>> {
  const there = counted.get(git)
  if (there) return there
  const made = new LRUCache<string, Promise<Counted>>({ max: 2000 })
  counted.set(git, made)
  return made
}

/**
 * The bytes of each programming language on the default branch, the most first. Counted once for each tree, by file names and sizes; no content is
 * read. Of more than fifty thousand source files the first are counted.
 */
export async function languagesOf(git: Git, row: Pick<RepositoryRow, "storage" | "object_format" | "default_branch">): Promise<Counted> {
  const revision = await resolveRevision(git, row, undefined)
  if (!revision) return {}
  const key = `${row.storage} ${revision.commit.tree}`
  const cache = countedBy(git)
  const known = cache.get(key)
  if (known) return known
  const counting = count(git, git.at(row.storage, row.object_format), revision.commit.tree)
  cache.set(key, counting)
  counting.catch(() => cache.delete(key))
  return counting
}

async function count(git: Git, repository: Repository, root: ObjectId): Promise<Counted> {
  const files: { readonly id: ObjectId; readonly language: string }[] = []
  const waiting = [root]
  for (let tree = waiting.pop(); tree !== undefined && files.length < MOST_FILES; tree = waiting.pop())
    for (const { mode, name, id } of await git.objects.readTree(repository, tree)) {
      if (mode === "40000" && !FOREIGN.test(name) && !name.startsWith(".")) waiting.push(id)
      const language = mode === "100644" || mode === "100755" ? languageOf(name) : undefined
      if (language !== undefined) files.push({ id, language })
    }
  const bytes = new Map<string, number>()
  await eachInTurn(files, async ({ id, language }) => {
    const size = (await git.objects.info(repository, id))?.size ?? 0
    bytes.set(language, (bytes.get(language) ?? 0) + size)
  })
  return Object.fromEntries([...bytes].filter(([, size]) => size > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
}
