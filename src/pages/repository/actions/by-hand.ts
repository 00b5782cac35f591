import { memberOf } from "../../../core/check.ts"
import { sketch } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import type { Draft } from "../../../core/page.ts"
import { type DeclaredInput, declaredInputs } from "../../../features/actions/definitions/triggers.ts"
import type { WorkflowAt } from "../../../features/actions/triggers/dispatch.ts"
import { workflowOperations } from "../../../features/actions/workflows/operations.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import { path as pathOf, withQuery } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { type Field, formButton, formView, type Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"

/** What can be done with a workflow on the list of its runs: running it by hand, disabling and enabling it. */

type Path = Readonly<Record<string, string>>

const runsOf = ({ owner = "", repo = "", workflow_id }: Path): string =>
  withQuery(`${pathOf(owner, repo)}/actions`, { workflow: workflow_id })

export const dispatchForm = sketch({
  id: "actions.dispatch",
  address: "POST /{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
  does: named(workflowOperations, "ActionsDispatchWorkflow"),
  takes: ["ref", "inputs"],
  // The names of the boxes, since one without a tick is not sent.
  also: ["boxes"],
  body: (body, { boxes = [] }) => ({
    ...body,
    inputs: { ...Object.fromEntries(boxes.map((name) => [name, "false"])), ...textsIn(body["inputs"]) },
  }),
  query: () => ({ return_run_details: "true" }),
  missing: ["ref", t("there is no such workflow on this branch or tag")],
  once: true,
  done: t("Queued."),
  to: ({ path, record }) => `${pathOf(path.owner, path.repo)}/actions/runs/${String(memberOf(record, "workflow_run_id"))}`,
})

const textsIn = (inputs: unknown): object => (typeof inputs === "object" && inputs !== null ? inputs : {})

export const disableForm = sketch({
  id: "actions.disableWorkflow",
  address: "POST /{owner}/{repo}/actions/workflows/{workflow_id}/disable",
  does: named(workflowOperations, "ActionsDisableWorkflow"),
  done: t("Workflow disabled."),
  undo: { by: { id: "actions.enableWorkflow" }, fields: () => ({}) },
  to: ({ path }) => runsOf(path),
})

export const enableForm = sketch({
  id: "actions.enableWorkflow",
  address: "POST /{owner}/{repo}/actions/workflows/{workflow_id}/enable",
  does: named(workflowOperations, "ActionsEnableWorkflow"),
  done: t("Workflow enabled."),
  undo: { by: { id: "actions.disableWorkflow" }, fields: () => ({}) },
  to: ({ path }) => runsOf(path),
})

/** The button that disables a workflow, or enables it. */
export const switchButton = (path: Path, isDisabled: boolean, draft: Draft | undefined): Html =>
  isDisabled
    ? formButton(enableForm, path, html`${icon("play")} Enable workflow`, {}, draft)
    : formButton(disableForm, path, html`${icon("circle-slash")} Disable workflow`, {}, draft)

interface ByHand {
  readonly path: Path & { readonly workflow_id: string }
  /** The branch or tag, as it was asked for. */
  readonly ref: string
  /** Whether another one was chosen. */
  readonly isChosen: boolean
  /** The workflow there. */
  readonly found: WorkflowAt | undefined
  /** Branches and tags that are offered. */
  readonly refs: readonly string[]
  readonly draft: Draft | undefined
}

/** The folded form that runs a workflow by hand, with the inputs of its file on the chosen branch or tag. */
export function byHand({ path, ref, isChosen, found, refs, draft }: ByHand): Html {
  const refused = draft?.form === dispatchForm.id ? draft : undefined
  const at = pathOf(path["owner"] ?? "", path["repo"] ?? "")
  const filters = found?.workflow.error === "" ? found.workflow.events.get("workflow_dispatch") : undefined
  const shown = (found && (branchOf(found.ref) ?? tagOf(found.ref))) ?? ref
  return html`
    <details class="card run-by-hand" id="run-workflow" ${flagged("open", isChosen || refused !== undefined)}>
      <summary class="head">${icon("play")}<span class="strong">Run workflow</span></summary>
      <div class="inside stack">
        <form class="bar" action="${at}/actions">
          <input type="hidden" name="workflow" value="${path.workflow_id}"><label for="run-ref">Branch or tag</label>
          <datalist id="run-refs">
            ${refs.map((name) => html`<option value="${name}"></option>`)}
          </datalist>
          <input
            id="run-ref"
            name="ref"
            list="run-refs"
            value="${shown}"
            maxlength="255"
            required
            autocomplete="off"
            dir="auto"
          >
          <button>Use this branch</button>
        </form>
        ${
          found && filters
            ? formView(dispatchForm, { path, draft, submit: t("Run workflow"), fields: fieldsOf(found, declaredInputs(filters)) })
            : html`${problem(refused?.refusal)}${notice("info", whyNot(shown, found))}`
        }
      </div>
    </details>
  `
}

function whyNot(ref: string, found: WorkflowAt | undefined): Content {
  if (!found) return html`There is no branch or tag <bdi>${ref}</bdi> with this workflow.`
  if (found.workflow.error !== "")
    return html`This workflow can’t be run from <bdi>${ref}</bdi>: <span class="break">${found.workflow.error}</span>`
  return html`The file on <bdi>${ref}</bdi> has no <code>workflow_dispatch</code> trigger.`
}

/** A file may declare any number of them; the others keep their defaults. */
const MOST_INPUTS = 100
const MOST_OPTIONS = 200
const LONGEST = 65_536

function fieldsOf({ ref }: WorkflowAt, declared: readonly DeclaredInput[]): readonly Field[] {
  const inputs = declared.slice(0, MOST_INPUTS)
  const boxes = inputs.filter(({ type }) => type === "boolean")
  return [
    { kind: "hidden", name: "ref", value: ref },
    ...boxes.map(({ name }): Field => ({ kind: "hidden", name: "boxes", value: name })),
    ...(inputs.length > 0 ? [{ kind: "group", label: t("Inputs"), fields: inputs.map(fieldOf) } as const] : []),
  ]
}

function fieldOf(input: DeclaredInput): Field {
  const { type, isRequired, options } = input
  const common = {
    name: `inputs.${input.name}`,
    label: isRequired && type !== "boolean" ? `${input.name} (required)` : input.name,
    ...(input.description !== "" && { hint: html`<bdi>${input.description}</bdi>` }),
  }
  if (type === "boolean") return { ...common, kind: "box", value: input.default === "true" }
  const value = input.default
  if (type === "choice") {
    const none: readonly Option[] = options.includes(value) ? [] : [["", t("Choose one")]]
    return {
      ...common,
      kind: "menu",
      value,
      options: [...none, ...options.filter((each, index) => index < MOST_OPTIONS || each === value).map((each): Option => [each, each])],
    }
  }
  if (value.includes("\n")) return { ...common, kind: "text", value, required: isRequired }
  return {
    ...common,
    kind: "line",
    value,
    required: isRequired,
    maxlength: LONGEST,
    ...(type === "number" && { placeholder: t("A number") }),
    ...(type === "environment" && { placeholder: t("An environment") }),
  }
}
