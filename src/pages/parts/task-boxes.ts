import { type Content, html } from "../../core/html.ts"

/** The boxes of task lists in rendered texts: buttons for who may tick them, which work without scripts; the module `tasks` saves the new page. */

/** Where the boxes of a text are ticked. */
export interface Ticks {
  readonly address: string
  /** What tells the form from others on the page. */
  readonly key: string | number
  /** Further fields. */
  readonly fields?: Readonly<Record<string, string>>
}

/** The fields of the form: which box and its new state, as `1.` or `0.` and the name of the box. */
export const TASK_FIELD = "task"

/** As the sanitiser writes it: no text of a user can look like this. */
const BOX = /<input type="checkbox" disabled( checked)? data-task="([\w.-]+)" aria-label="([^"]*)" \/>/g

/** The HTML of a text with boxes that can be ticked, and the form that they are sent by; without `ticks` they only show their state. */
export function withBoxes(rendered: string, ticks?: Ticks): { readonly html: string; readonly form: Content } {
  if (!rendered.includes(" data-task=")) return { html: rendered, form: undefined }
  const id = ticks && `tasks-${ticks.key}`
  return {
    html: rendered.replace(BOX, (_, checked: string | undefined, name: string, label: string) =>
      id === undefined
        ? `<input type="checkbox" disabled${checked ?? ""} aria-label="${checked ? "Done" : "To do"}">`
        : `<button class="task" name="${TASK_FIELD}" value="${checked ? 0 : 1}.${name}" form="${id}" role="checkbox" aria-checked="${
            checked ? "true" : "false"
          }" aria-label="${label}"></button>`,
    ),
    form:
      ticks &&
      html`
        <form id="${id}" method="post" action="${ticks.address}" hidden>
          ${Object.entries(ticks.fields ?? {}).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
        </form>
      `,
  }
}
