import { attribute, flagged, type Html, html } from "../../../core/html.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { styleFor, type WritingStyle } from "../../../features/code/editorconfig/style.ts"
import { repositoryPath } from "../../../web/address.ts"
import { formatTools } from "../../../web/composer.ts"
import { icon } from "../../../web/icon.ts"
import type { EditTarget, OnEditor } from "../../parts/code/edit-target.ts"

/** What the module `editor` finds beside the field of a file's text. What has a height has it from the start; without scripts it is hidden. */

/** How a file of this path is written on the branch; nothing is known where there is no commit. */
export const styleAt = async (call: OnEditor, { located }: Pick<EditTarget, "located">, parts: readonly string[]): Promise<WritingStyle> =>
  located ? styleFor(call.services.git, located.git, located.revision.commit.tree, parts) : {}

interface Tools {
  /** The id of the field. */
  readonly field: string
  readonly style: WritingStyle
  /** Where files of other paths have theirs; the form has a field for the path. */
  readonly styles?: string
  /** What the text is called, where the form has no field for its path. */
  readonly name?: string
  /** Where pictures are sent that are dropped into a text in Markdown. */
  readonly pictures: string
  readonly isMarkdown: boolean
  /** The file is new: how its lines end is not decided yet. */
  readonly isNew?: boolean
}

/** Of a file on a branch. */
export const fileTools = (call: OnEditor, branch: string, more: Pick<Tools, "field" | "style" | "isMarkdown" | "isNew">): Html => {
  const at = (view: string): string => `${repositoryPath(call)}/${view}/${escapePath(branch)}`
  return editorTools({ ...more, styles: `${at("_editorconfig")}/`, pictures: at("_upload-file") })
}

export const editorTools = ({ field, style, styles, name, pictures, isMarkdown, isNew = false }: Tools): Html =>
  html`
    ${draftNotices()}
    <p
      class="hint muted small"
      id="${field}-keys"
      data-editor="${field}"
      data-style="${JSON.stringify(style)}"
      data-pictures="${pictures}"
      ${attribute("data-styles", styles)}
      ${attribute("data-name", name)}
      ${attribute("data-new", isNew ? "true" : undefined)}
    >
      Tab indents, Shift+Tab unindents; press Escape, then Tab to leave the field.${" "}
      <span data-editor-keys>Ctrl+F finds and replaces, Ctrl+S goes to the commit message, Ctrl+Enter commits.</span>
    </p>
    <div class="stack small" data-editor-pictures ${flagged("hidden", !isMarkdown)}>
      <p class="hint muted">
        ${
          styles === undefined
            ? html`Pictures can be dropped or pasted into the text. They are stored in the wiki at once.`
            : html`Pictures can be dropped or pasted into the text. The commit puts them beside the file.`
        }
      </p>
      <div class="stack" role="status"></div>
    </div>
    <div class="editor-bar" hidden>
      ${formatTools()}
      <span class="muted small" data-editor-place>
        Line <span data-editor-line>1</span>, column <span data-editor-column>1</span>
      </span>
      <label class="small">
        Indent with${" "}
        <select class="small" data-editor-indent>
          <option value="2">2 spaces</option>
          <option value="3">3 spaces</option>
          <option value="4">4 spaces</option>
          <option value="8">8 spaces</option>
          <option value="tab">Tabs</option>
        </select>
      </label>
      <label class="small wraps"><input type="checkbox" data-editor-wrap> Wrap lines</label>
      <button type="button" class="small" data-editor-find>${icon("search")}Find</button>
    </div>
  `

const draftNotices = (): Html =>
  html`
    <div class="notice info" data-draft="restored" role="status" hidden>
      <span>Your changes that were not committed are back.</span>
      <button type="button" class="small" data-draft-drop>Discard them</button>
    </div>
    <div class="notice warn" data-draft="stale" role="status" hidden>
      <span>
        You have changes here that were not committed, and this was changed by someone else since. If you continue with yours,
        both are shown before anything is replaced.
      </span>
      <button type="button" class="small" data-draft-take>Continue with mine</button>
      <button type="button" class="small" data-draft-drop>Discard mine</button>
    </div>
  `
