/** Programs that tests build with Go. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** A build on two slow cores, with the download of its modules. */
const PATIENCE_MS = 600_000

export interface GoProgram {
  readonly name: string
  /** The folder of the module. */
  readonly module: string
  /** Its files that make a difference. */
  readonly files: readonly string[]
  readonly package: string
}

/**
 * Programs are built more often than they have much to do: without optimising them that takes half. The standard library is as others want it too, who
 * find it in Go's cache.
 */
const FLAGS = ["-ldflags=-s -w", "-gcflags=all=-N -l -dwarf=false", "-gcflags=std="]

/** Where programs are kept between runs: `$HEARTH_TEST_CACHE`, or the user's folder for caches. */
const cache = (): string => process.env["HEARTH_TEST_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "hearth")

/** The path of the program, which is built unless it is there. */
export async function builtProgram(wanted: GoProgram): Promise<string> {
  const files = await Promise.all(wanted.files.map((name) => readFile(join(wanted.module, name))))
  const version = createHash("sha256").update(Buffer.concat(files)).digest("hex").slice(0, 16)
  const program = join(cache(), `${wanted.name}-${version}`)
  if (!existsSync(program)) await build(wanted, program)
  return program
}

async function build({ name, module, files, package: built }: GoProgram, program: string): Promise<void> {
  await mkdir(cache(), { recursive: true })
  const folder = await mkdtemp(join(cache(), "build-"))
  try {
    // Go may write into the folder of the module.
    for (const file of files) await copyFile(join(module, file), join(folder, file))
    const PATH = [process.env["PATH"], "/usr/local/go/bin"].join(delimiter)
    await run("go", ["build", "-mod=mod", "-buildvcs=false", ...FLAGS, "-o", name, built], {
      cwd: folder,
      env: { ...process.env, PATH, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
      timeout: PATIENCE_MS,
    })
    // Two runs of the tests may have built it at the same time: either will do.
    await rename(join(folder, name), program)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new Error(
        `These tests build ${name}, for which Go 1.26 or newer must be installed (see https://go.dev/dl/): there is no program \`go\`.`,
      )
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
