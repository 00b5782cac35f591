import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { BROWSER_MESSAGES } from "../core/language/keys.ts"
import { type Language, language } from "../core/language/language.ts"
import { languageOf } from "../core/language/languages.ts"
import { assetPath } from "../core/program/assets.ts"
import { BROWSER_MODULES, HOME, isBuilt } from "../core/program/home.ts"

/**
 * Styles, icons and scripts of pages. Each is served under an address with a digest of its content, so browsers may keep it for good. All are read
 * at the first page: a server that only programs use has none in memory.
 */

export type Encoding = "br" | "gzip" | undefined

export interface Asset {
  readonly type: string
  /** The content in an encoding, made once. */
  readonly bytes: (encoding: Encoding) => Promise<Buffer>
}

interface Assets {
  /** Of each asset's name, its path. */
  readonly paths: ReadonlyMap<string, string>
  /** Of each file's name with the digest. */
  readonly files: ReadonlyMap<string, Asset>
}

export const ASSETS_PATH = "/assets"

const SCRIPT = "text/javascript;charset=utf-8"

let opened: Assets | undefined

/** The path of an asset: `page.css`, `icons.svg`, `logo.svg`, `touch-icon.png`, or `name.js` of a module in `src/web/browser/`. Throws TypeError for an unknown one. */
export function assetAddress(name: string): string {
  opened ??= openAssets()
  const path = opened.paths.get(name)
  if (path === undefined) throw new TypeError(`there is no asset ${name}`)
  return path
}

/** The asset that a requested file names, or undefined. */
export function findAsset(file: string): Asset | undefined {
  opened ??= openAssets()
  const code = languageOf(/^words-([\w-]+)\./.exec(file)?.[1] ?? "")
  if (code) wordsAddress(language(code))
  return opened.files.get(file) ?? words.get(file)
}

const words = new Map<string, Asset>()
const addresses = new Map<string, string>()

/** The path of the script that gives modules their messages in a language. */
export function wordsAddress(language: Language): string {
  const known = addresses.get(language.code)
  if (known !== undefined) return known
  const said = Object.fromEntries(BROWSER_MESSAGES.map((message) => [message, language.translation(message)]))
  const content = `globalThis.words = ${JSON.stringify(said)}`
  const file = `words-${language.code}.${hash("sha256", content, "base64url").slice(0, 12)}.js`
  words.set(file, { type: SCRIPT, bytes: compressed(() => Buffer.from(content)) })
  addresses.set(language.code, `${ASSETS_PATH}/${file}`)
  return `${ASSETS_PATH}/${file}`
}

/** What draws diagrams, in a frame of pages: its files are many and large, so each is read when it is first asked for. */
const FRAME = join(BROWSER_MODULES, "frame")
const framed = new Map<string, Asset>()
let frameFiles: ReadonlySet<string> | undefined

/** A file that the frame loads, or undefined. */
export function findFrameAsset(file: string): Asset | undefined {
  const known = framed.get(file)
  if (known || !filesOfFrame().has(file)) return known
  const asset = { type: SCRIPT, bytes: compressed(() => readFileSync(join(FRAME, file))) }
  framed.set(file, asset)
  return asset
}

function filesOfFrame(): ReadonlySet<string> {
  if (frameFiles) return frameFiles
  if (!isBuilt) execFileSync(process.execPath, [join(HOME, "bin/build-browser.mjs"), "frame"], { stdio: ["ignore", "ignore", "pipe"] })
  frameFiles = new Set(readdirSync(FRAME).filter((name) => /^\w.*\.js$/.test(name)))
  return frameFiles
}

/** The document of the frame. */
export function frameDocument(): string {
  const module = [...filesOfFrame()].find((name) => /^diagram\.[\w-]{12}\.js$/.test(name))
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagram</title>',
    "<style>body { margin: 0; font-family: system-ui, sans-serif; overflow: auto hidden } svg { display: block; margin: auto }</style>",
    `<body><script type="module" src="${ASSETS_PATH}/frame/${module}"></script>`,
  ].join("\n")
}

function openAssets(): Assets {
  const paths = new Map<string, string>()
  const files = new Map<string, Asset>()
  const add = (stem: string, ending: string, type: string, content: string | Buffer): void => {
    const file = `${stem}.${hash("sha256", content, "base64url").slice(0, 12)}.${ending}`
    files.set(file, { type, bytes: compressed(() => Buffer.from(content)) })
    paths.set(`${stem}.${ending}`, `${ASSETS_PATH}/${file}`)
  }
  const folder = assetPath("web")
  const styles = readdirSync(folder).filter((name) => name.endsWith(".css"))
  add(
    "page",
    "css",
    "text/css;charset=utf-8",
    styles
      .sort()
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n"),
  )
  for (const name of ["icons", "logo"]) add(name, "svg", "image/svg+xml", readFileSync(join(folder, `${name}.svg`), "utf8"))
  add("touch-icon", "png", "image/png", readFileSync(join(folder, "touch-icon.png")))

  // A module imports others by their names, which have the hashes already.
  // It does not share our standard error: a child makes that wait for its reader, and so would the log.
  if (!isBuilt) execFileSync(process.execPath, [join(HOME, "bin/build-browser.mjs")], { stdio: ["ignore", "ignore", "pipe"] })
  for (const file of readdirSync(BROWSER_MODULES).filter((name) => /^\w.*\.js$/.test(name))) {
    // Read when it is first asked for: the languages of the editor alone are more than a hundred files.
    files.set(file, { type: SCRIPT, bytes: compressed(() => readFileSync(join(BROWSER_MODULES, file))) })
    paths.set(file.replace(/\.[\w-]+\.js$/, ".js"), `${ASSETS_PATH}/${file}`)
  }
  return { paths, files }
}

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** The best compression of a megabyte takes seconds. */
const LARGE = 200_000

function compressed(read: () => Buffer): Asset["bytes"] {
  const made = new Map<Encoding, Promise<Buffer>>()
  const make = (encoding: Encoding): Promise<Buffer> => {
    const plain = read()
    if (encoding === "br")
      return brotli(plain, {
        params: { [constants.BROTLI_PARAM_QUALITY]: plain.length > LARGE ? 9 : 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
      })
    return encoding === "gzip" ? gzipped(plain, { level: 9 }) : Promise.resolve(plain)
  }
  return (encoding) => {
    const known = made.get(encoding)
    if (known) return known
    const bytes = make(encoding)
    made.set(encoding, bytes)
    return bytes
  }
}
