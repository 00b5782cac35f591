import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { assetPath } from "../core/assets.ts"
import { BROWSER_MODULES } from "../core/home.ts"

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
  return opened.files.get(file)
}

function openAssets(): Assets {
  const paths = new Map<string, string>()
  const files = new Map<string, Asset>()
  const add = (stem: string, ending: string, type: string, content: string | Buffer): string => {
    const file = `${stem}.${hash("sha256", content, "base64url").slice(0, 12)}.${ending}`
    files.set(file, { type, bytes: compressed(Buffer.from(content)) })
    const path = `${ASSETS_PATH}/${file}`
    paths.set(`${stem}.${ending}`, path)
    return path
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

  // A module is added after those that it imports, whose addresses stand in it.
  const { folder: scripts, ending } = BROWSER_MODULES
  const names = readdirSync(scripts).filter((name) => name.endsWith(ending) && !name.endsWith(".d.ts"))
  const addModule = (name: string): string => {
    const stem = name.slice(0, -ending.length)
    const known = paths.get(`${stem}.js`)
    if (known !== undefined) return known
    // Nobody reads comments or margins there. No text of theirs has several lines.
    const text = readFileSync(join(scripts, `${stem}${ending}`), "utf8")
    const script = (ending === ".ts" ? stripTypeScriptTypes(text) : text).replace(COMMENTS, "").replace(MARGINS, "")
    const linked = script.replace(
      /(from\s+|import\s*\(?\s*)"\.\/([\w-]+)\.[jt]s"/g,
      (_, before: string, other: string) => `${before}"${addModule(other + ending)}"`,
    )
    return add(stem, "js", "text/javascript;charset=utf-8", linked)
  }
  for (const name of names) addModule(name)
  return { paths, files }
}

/** Those that have lines of their own. */
const COMMENTS = /^[ \t]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)[ \t]*\n?/gm
/** White space at both ends of lines, and empty lines. */
const MARGINS = /^\s+|[ \t]+$/gm

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

function compressed(plain: Buffer): Asset["bytes"] {
  const made = new Map<Encoding, Promise<Buffer>>()
  const make = (encoding: Encoding): Promise<Buffer> => {
    if (encoding === "br")
      return brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } })
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
