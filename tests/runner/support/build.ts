/** Builds the runner that these tests are about, the Go module that `../go.mod` names: Vitest's global set-up, and a program. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** The program of the runner, or why there is none. */
    runnerProgram: { readonly path: string } | { readonly fault: string }
  }
}

const run = promisify(execFile)
const module = new URL("../", import.meta.url).pathname
const PACKAGE = "gitea.com/gitea/runner"

/** A build on two slow cores, with the download of its modules. */
const PATIENCE_MS = 600_000

/** Where programs are kept between runs: `$HEARTH_TEST_CACHE`, or the user's folder for caches. */
const cache = (): string => process.env["HEARTH_TEST_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "hearth")

export default async function setup(project: TestProject): Promise<void> {
  try {
    project.provide("runnerProgram", { path: await builtProgram() })
  } catch (error) {
    // The tests of other projects in the same run don't need it.
    project.provide("runnerProgram", { fault: String(error) })
  }
}

/** The path of the program, which is built unless it is there. */
async function builtProgram(): Promise<string> {
  const files = await Promise.all(["go.mod", "go.sum"].map((name) => readFile(join(module, name))))
  const version = createHash("sha256").update(Buffer.concat(files)).digest("hex").slice(0, 16)
  const program = join(cache(), `runner-${version}`)
  if (!existsSync(program)) await build(program)
  return program
}

async function build(program: string): Promise<void> {
  await mkdir(cache(), { recursive: true })
  const folder = await mkdtemp(join(cache(), "build-"))
  try {
    // Go may write into the folder of the module.
    for (const name of ["go.mod", "go.sum"]) await copyFile(join(module, name), join(folder, name))
    const PATH = [process.env["PATH"], "/usr/local/go/bin"].join(delimiter)
    await run("go", ["build", "-mod=mod", "-buildvcs=false", "-o", "runner", PACKAGE], {
      cwd: folder,
      env: { ...process.env, PATH, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
      timeout: PATIENCE_MS,
    })
    // Two runs of the tests may have built it at the same time: either will do.
    await rename(join(folder, "runner"), program)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new Error(
        "These tests build the runner of Gitea, for which Go 1.26 or newer must be installed (see https://go.dev/dl/): there is no program `go`.",
      )
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// `npm run test:all` begins with it, beside its checks.
if (import.meta.main) await builtProgram()
