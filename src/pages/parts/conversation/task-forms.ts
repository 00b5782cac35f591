import { memberOf } from "../../../core/check.ts"
import { addressOf, type form, type Typed } from "../../../core/forms/form.ts"
import { named, type Operation } from "../../../core/operation.ts"
import type { Draft, Page } from "../../../core/page.ts"
import { taskOperations } from "../../../features/planning/tasks/operations.ts"
import { TASK_FIELD } from "../task-boxes.ts"

/** Declares a form on the page of the conversation. */
type Declare = (
  name: string,
  below: string,
  does: Operation,
  rest: Partial<Omit<Parameters<typeof form<string>>[0], "id" | "address" | "on">>,
) => Page

interface Back {
  readonly path: Readonly<Record<string, string>>
  readonly field: (name: string) => string
}

/** Boxes of task lists, in the opening text and in everything below it. */
export function taskForms(declare: Declare, on: Page, to: (back: Back) => string) {
  const body = (_: unknown, typed: Typed) => {
    const [, state, task = ""] = /^([01])\.(.*)$/.exec(typed[TASK_FIELD]?.[0] ?? "") ?? []
    return { task, done: state === "1" }
  }
  const does = (id: string) => named(taskOperations, id)
  return {
    tick: declare("tick", "tasks", does("issueTickTask"), {
      also: [TASK_FIELD],
      body,
      to: ({ path, record }) => `${addressOf(on, path)}#issue-${String(memberOf(record, "id"))}`,
    }),
    tickInComment: declare("tickInComment", "comments/{id}/tasks", does("issueTickCommentTask"), {
      also: [TASK_FIELD, "from"],
      body,
      to,
    }),
  }
}

/** Whether a refused form is one that the page has no fields for: a box of a task list, or the title in its place. */
export const isInPlace = ({ form: id }: Draft): boolean => /\.(tick|tickInComment|retitle)$/.test(id)
