/** The sections of an INI file with their keys, all as they are written; the values before the first section are in "". */
export type Ini = ReadonlyMap<string, ReadonlyMap<string, string>>

const SECTION = /^\[([^\]]*)\]\s*$/
const QUOTED = /^(`[^`]*`|"""[\s\S]*"""|"[^"]*"|'[^']*')$/

/**
 * Reads an `app.ini`: comments are lines that begin with `;` or `#`, or follow one after a space; a value may be in quotes, and go on in the next line after
 * a backslash.
 */
export function readIni(text: string): Ini {
  const sections = new Map<string, Map<string, string>>()
  let section = sectionOf(sections, "")
  for (const line of text
    .replace(/^\uFEFF/, "")
    .replace(/\\\r?\n\s*/g, "")
    .split(/\r?\n/)) {
    const trimmed = line.trim()
    if (trimmed === "" || /^[;#]/.test(trimmed)) continue
    const named = SECTION.exec(trimmed)?.[1]
    if (named !== undefined) section = sectionOf(sections, named.trim())
    else {
      const [, key = "", value = ""] = /^([^=:]+?)\s*[=:]\s*(.*)$/s.exec(trimmed) ?? []
      if (key !== "") section.set(key.toUpperCase(), plain(value))
    }
  }
  return sections
}

function sectionOf(sections: Map<string, Map<string, string>>, name: string): Map<string, string> {
  const known = sections.get(name)
  if (known) return known
  const made = new Map<string, string>()
  sections.set(name, made)
  return made
}

function plain(value: string): string {
  if (QUOTED.test(value)) return value.startsWith('"""') ? value.slice(3, -3) : value.slice(1, -1)
  return value.replace(/\s+[;#].*$/, "").trim()
}

/**
 * The values that the environment gives in place of those in the file: `GITEA__section__KEY`, or `FORGEJO__…`, where `_0X2E_` is a dot and `_0X2D_` a dash.
 * `…__FILE` names a file with the value, which `read` reads.
 */
export function withEnvironment(ini: Ini, env: Readonly<Record<string, string | undefined>>, read: (file: string) => string): Ini {
  const merged = new Map([...ini].map(([name, keys]) => [name, new Map(keys)]))
  for (const [variable, given] of Object.entries(env)) {
    const [, written = "", key = "", isFile] = /^(?:GITEA|FORGEJO)__(.*?)__(.+?)(__FILE)?$/.exec(variable) ?? []
    if (key === "" || given === undefined) continue
    const section = written.toLowerCase().replaceAll("_0x2e_", ".").replaceAll("_0x2d_", "-")
    sectionOf(merged, section === "default" ? "" : section).set(key.toUpperCase(), isFile === undefined ? given : read(given).trim())
  }
  return merged
}
