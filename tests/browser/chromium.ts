import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Browser, chromium } from "playwright-core"

const run = promisify(execFile)
const PACKAGE = "@sparticuz/chromium"

/**
 * Starts the headless Chromium that an npm package ships, with the libraries and fonts that come with it: the machine needs nothing else, and pages
 * look the same on all machines; it has no font for code, which those of the machine may have. Throws where no browser starts.
 */
export async function launchChromium({ fonts = "package" }: { readonly fonts?: "package" | "machine" } = {}): Promise<Browser> {
  const folder = await unpacked()
  try {
    return await chromium.launch({
      executablePath: join(folder, "chromium"),
      args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
      env: {
        ...process.env,
        LD_LIBRARY_PATH: join(folder, "al2023/lib"),
        ...(fonts === "package" ? { FONTCONFIG_FILE: await fontsOf(folder) } : {}),
      },
      timeout: 120_000,
    })
  } catch (error) {
    throw new Error(`no browser starts on this machine: ${PACKAGE}, unpacked in ${folder}, failed`, { cause: error })
  }
}

/** What says where the package's fonts are: its own file names folders that only some machines have, and without any font the browser ends. */
async function fontsOf(folder: string): Promise<string> {
  const file = join(folder, "here.conf")
  const content = `<?xml version="1.0"?>\n<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "font-cache")}</cachedir></fontconfig>\n`
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  await writeFile(draft, content)
  await rename(draft, file)
  return file
}

/** The folder of the unpacked package, made by anyone who comes first; others may be at it at the same time. */
async function unpacked(): Promise<string> {
  // build/FORM/index.js
  const home = join(createRequire(import.meta.url).resolve(PACKAGE), "../../..")
  const { version }: { readonly version: string } = JSON.parse(await readFile(join(home, "package.json"), "utf8"))
  const folder = join(tmpdir(), `hearth-chromium-${version}`)
  if (existsSync(folder)) return folder
  const draft = await mkdtemp(`${folder}-`)
  // The package unpacks into TMPDIR, and its libraries only where it takes the machine for a certain other one.
  const env = { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" }
  const code = `import("${PACKAGE}").then(({ default: chromium }) => chromium.executablePath())`
  await run(process.execPath, ["-e", code], { cwd: import.meta.dirname, env })
  try {
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
