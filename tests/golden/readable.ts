/** SQL as a reviewer reads it: one clause a line, no needless quotes, and the same text for both databases where only their spelling differs. */

/** Clauses that begin a new line. */
const CLAUSES = /^(from|where|inner|left|group|order|limit|returning|set|values|having|union|and)$/

export function readable(sql: string): string {
  const tokens = common(sql).match(/'(?:[^']|'')*'|\(|\)|,|[^\s(),']+/g) ?? []
  // For every open parenthesis: whether it contains a query.
  const open: boolean[] = [true]
  let text = ""
  let last = ""
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1] ?? ""
    if (token === ")") {
      open.pop()
      text += ")"
    } else if (token === ",") text += ","
    else {
      const level = open.filter((query) => query).length - 1
      const begins = open.at(-1) === true && CLAUSES.test(token) && !/^(delete|distinct|join|do)$/.test(last) && level >= 0
      if (begins) text += `\n${"    ".repeat(level)}${token === "and" ? "  " : ""}`
      else if (last === "(" && token === "select") text += `\n${"    ".repeat(level)}`
      else if (last !== "" && last !== "(" && !(token === "(" && isCalled(last))) text += " "
      text += token
      if (token === "(") open.push(next === "select")
    }
    last = token
  }
  return text
}

/** A function's name, which its parenthesis follows without a space. */
const isCalled = (token: string): boolean =>
  /^(\w+\.)?\w+$/.test(token) &&
  !/^(in|exists|and|or|not|from|as|join|on|values|select|where|=|by|set|into|conflict|when|then|else)$/.test(token)

/** Normalises what always differs between the two databases: placeholders, lists, and quotes around names. */
export const common = (sql: string): string =>
  sql
    .replace(/"([a-z_][a-z0-9_]*)"/g, "$1")
    .replace(/\$\d+/g, "?")
    .replace(/ in \(select value from json_each\(\?\)\)| = any\(\?\)/g, " in ?")
    .replace(/ not in \(select value from json_each\(\?\)\)| <> all\(\?\)/g, " not in ?")
    .replace(/\s+/g, " ")
    .trim()

export interface Texts {
  readonly sqlite: string
  readonly postgres: string
}

/** The text of a statement on both databases; the second only if it differs. */
export function onBoth({ sqlite, postgres }: Texts): string {
  const [one, other] = [readable(sqlite), readable(postgres)]
  return one === other ? one : `${one}\n-- on PostgreSQL:\n${other}`
}
