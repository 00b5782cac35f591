import type { OnRepository } from "../../access/policies/repositories.ts"
import { plainCode } from "../../core/highlight/invisible.ts"
import { type Html, html } from "../../core/html.ts"
import type { Request } from "../../core/operation.ts"
import { escapePath } from "../../core/text/escape-path.ts"
import { searchCode } from "../../features/code/search/search.ts"
import { inTurn } from "../../features/code/search/turns.ts"
import { path } from "../../web/address.ts"
import { symbolsIn } from "../parts/code/outline.ts"

/** Where a name is defined: lines of the default branch that the outline of their file would have under this name. */

const NAME = /^[A-Za-z_$][\w$]{1,99}$/
const MOST_FILES = 20

/** Only what begins at the margin is in an outline, with words and the signs of types before its name. */
const linesWith = (name: string): string => `^(?:\\w[-\\w\\s*&<>,:()$.~]*[\\s*&.:~])?${name.replaceAll("$", "\\$")}\\b`

/** The last word of a name such as `Person.name` or `std::size`. */
const lastWord = (name: string): string => /[\w$]+$/.exec(name)?.[0] ?? name

export interface Definition {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly address: string
}

/** Undefined for what is no name. Costs the queries of one search. */
export async function definitionsOf(
  { db, actor, repository }: OnRepository & Pick<Request, "db" | "actor">,
  q: string,
): Promise<readonly Definition[] | undefined> {
  const name = q.trim()
  if (!NAME.test(name)) return undefined
  const search = { q: linesWith(name), mode: "regexp", isCaseSensitive: true, repositoryId: repository.id } as const
  const { files } = await inTurn(() => searchCode(db, actor, search, { limit: MOST_FILES, offset: 0 }))
  return files.flatMap(({ path: file, repository: { owner, name: home, commitId }, fragments }) => {
    const at = `${path(owner, home)}/src/commit/${commitId}/${escapePath(file)}`
    return fragments.flatMap((lines) =>
      lines
        .filter(({ text, marks }) => marks.length > 0 && symbolsIn(file, text).some((symbol) => lastWord(symbol.name) === name))
        .map(({ number, text }) => ({ file, line: number, text, address: `${at}#L${number}` })),
    )
  })
}

/** They stand before what a search of the name finds; the module `definitions` shows them beside a name in a file. */
export const definitionsView = (definitions: readonly Definition[]): Html =>
  html`
    <ul class="rows" id="definitions" aria-label="Definitions">
      ${definitions.map(
        ({ file, line, text, address }) =>
          html`
            <li>
              <div class="main">
                <a class="mono" href="${address}">${plainCode(text.trim())}</a>
                <span class="meta"><bdi>${file}</bdi> line ${line}</span>
              </div>
            </li>
          `,
      )}
    </ul>
  `
