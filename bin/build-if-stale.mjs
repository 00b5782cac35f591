// Compiles what is stale: runs tsc when a source is newer than the last build, and costs a few milliseconds when none is.
// Plain JavaScript for Node.js 20 and newer, since it runs before anything is built.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const stamp = join(home, "dist/.built")
const inputs = ["package.json", "tsconfig.json", "tsconfig.build.json"]

/** Whether anything below the folder changed after that time. Folders count too: a file that was taken away changes its folder. */
function changedSince(folder, time) {
  if (statSync(folder).mtimeMs > time) return true
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? changedSince(path, time) : !entry.name.endsWith(".test.ts") && statSync(path).mtimeMs > time
  })
}

function stale() {
  if (!existsSync(stamp) || !existsSync(join(home, "dist/command/main.js"))) return true
  const builtAt = statSync(stamp).mtimeMs
  return (
    inputs.some((name) => existsSync(join(home, name)) && statSync(join(home, name)).mtimeMs > builtAt) ||
    changedSince(join(home, "src"), builtAt)
  )
}

function compiler() {
  try {
    return join(dirname(createRequire(join(home, "package.json")).resolve("typescript/package.json")), "bin/tsc")
  } catch {
    return undefined
  }
}

// A package that was installed brings dist/ and no sources.
if (existsSync(join(home, "src")) && stale()) {
  const tsc = compiler()
  if (tsc === undefined && existsSync(join(home, "dist/command/main.js"))) {
    console.error("hearth: the sources are newer than dist/, but typescript isn't installed; using dist/ as it is")
  } else if (tsc === undefined) {
    console.error("hearth: there is no dist/, and typescript isn't installed to make it. Run: npm ci")
    process.exitCode = 1
  } else {
    // What changes while the compiler runs is newer than this, and compiled the next time.
    const begun = new Date()
    console.error("hearth: compiling …")
    // Types are what `npm run check` is for, and cost ten times as much as the rest.
    const { status } = spawnSync(
      process.execPath,
      [tsc, "-p", "tsconfig.build.json", "--noCheck", "--declaration", "false", "--incremental", "false"],
      { cwd: home, stdio: ["ignore", 2, 2] },
    )
    if (status === 0) {
      writeFileSync(stamp, "")
      utimesSync(stamp, begun, begun)
    }
    process.exitCode = status ?? 1
  }
}
