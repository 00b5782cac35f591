import { plainCode } from "../../../core/highlight/invisible.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import { withQuery } from "../../../web/address.ts"
import type { DiffChoices } from "../../../web/diff-choices.ts"
import { number } from "../../../web/time.ts"
import type { DiffQuery } from "./choices.ts"
import type { FileChange } from "./model.ts"

/** How a difference is shown, and what all its views say of a file. */

/** What is said about lines, by the path of the file, and the side and number of the line such as `R12`. */
export interface LineNotes {
  readonly of: (path: string) => ReadonlyMap<string, Content> | undefined
  /** How many there are in a file. */
  readonly count: (path: string) => number
}

export interface DiffViewOptions {
  /** The requested address of the page, with its query. */
  readonly url: string
  readonly query: DiffQuery
  readonly choices: DiffChoices
  /** The list's page, for differences with too many files. */
  readonly page: ListPage
  /** The paths of the repositories that have the old and the new files. */
  readonly oldAt: string
  readonly newAt: string
  readonly notes?: LineNotes
  /** What stands in the bar above the files, before the choices. */
  readonly tools?: Content
  /** What can be done with a file, besides seeing it. */
  readonly fileTools?: (file: FileChange) => Content
  /** The path of a file that has to be shown, such as one with an open form. */
  readonly focus?: string | undefined
  /** Files that are closed at first. */
  readonly isClosed?: (file: FileChange) => boolean
}

export const filePage = ({ url }: DiffViewOptions, { path }: FileChange): string =>
  withQuery(url, { file: path, context: undefined, start: undefined })

export const changeCounts = ({ additions, deletions }: { readonly additions: number; readonly deletions: number }): Html =>
  html`
    <span class="counts">
      <span class="success">+${number(additions)}<span class="hidden-text"> lines</span></span>${" "}
      <span class="failure">−${number(deletions)}<span class="hidden-text"> lines</span></span>
    </span>
  `

export const sizeOf = (file: FileChange): Html => (file.content === "binary" ? html`<span class="muted">binary</span>` : changeCounts(file))

export const pathOf = ({ path, oldPath }: FileChange): Html =>
  oldPath === undefined || oldPath === path
    ? html`<bdi>${plainCode(path)}</bdi>`
    : html`<bdi>${plainCode(oldPath)}</bdi> → <bdi>${plainCode(path)}</bdi>`

export const REASON_WORDS = { generated: t("Generated"), vendored: t("Vendored"), large: t("Large") } as const
