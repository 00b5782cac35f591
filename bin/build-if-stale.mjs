// Builds dist/ when a source is newer than the last build, which costs a few milliseconds when none is: `node bin/build-if-stale.mjs`, or imported
// by run.mjs. Plain JavaScript for Node.js 20 and newer, since it runs before anything is built.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const stamp = join(home, "dist/.built")
const entry = join(home, "dist/main.js")
const inputs = ["package.json", "bin/build.mjs", "bin/build-client.mjs"]
const folders = ["assets/locales", "assets/api"]

/** Whether anything below the folder changed after that time. Folders count too: a file that was taken away changes its folder. */
function changedSince(folder, time) {
  if (statSync(folder).mtimeMs > time) return true
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? changedSince(path, time) : !entry.name.endsWith(".test.ts") && statSync(path).mtimeMs > time
  })
}

function isStale() {
  if (!existsSync(stamp) || !existsSync(entry)) return true
  const builtAt = statSync(stamp).mtimeMs
  return (
    inputs.some((name) => existsSync(join(home, name)) && statSync(join(home, name)).mtimeMs > builtAt) ||
    changedSince(join(home, "src"), builtAt) ||
    folders.some((name) => existsSync(join(home, name)) && changedSince(join(home, name), builtAt))
  )
}

function hasBundler() {
  try {
    createRequire(join(home, "package.json")).resolve("rolldown")
    return true
  } catch {
    return false
  }
}

/** The Node.js that `npm ci` brings, which the build needs; the running one may be older. */
function node() {
  const own = join(home, "node_modules/node/bin/node")
  return existsSync(own) ? own : process.execPath
}

/** Brings dist/ up to date, and gives the exit code: 0 when there is something to run. */
export function buildIfStale() {
  // A package that was installed brings dist/ and no sources.
  if (!existsSync(join(home, "src")) || !isStale()) return 0
  if (!hasBundler()) {
    if (existsSync(entry)) {
      console.error("hearth: the sources are newer than dist/, but rolldown isn't installed; using dist/ as it is")
      return 0
    }
    console.error("hearth: there is no dist/, and rolldown isn't installed to make it. Run: npm ci")
    return 1
  }
  // What changes during the build is newer than this, and built the next time.
  const begun = new Date()
  // On a terminal the line is replaced by what comes after it.
  process.stderr.write(process.stderr.isTTY ? "hearth: compiling …" : "hearth: compiling …\n")
  const { status } = spawnSync(node(), ["--disable-warning=ExperimentalWarning", join(home, "bin/build.mjs")], {
    cwd: home,
    stdio: ["ignore", 2, 2],
  })
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
  if (status !== 0) return status ?? 1
  writeFileSync(stamp, "")
  utimesSync(stamp, begun, begun)
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = buildIfStale()
