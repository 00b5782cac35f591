import { expect } from "vitest"
import { stories } from "./stories.ts"

const FORM = `name: Bug
about: Something is broken
title: "Bug: "
body:
  - type: input
    id: where
    attributes: { label: Where }
    validations: { required: true }
  - type: dropdown
    id: weight
    attributes: { label: How bad, options: [A little, Very] }
`

stories((story) => {
  story("an issue lives from a form to its end", async ({ ask, enter, made, scripts }) => {
    const at = await made("kiln")
    await ask("ann", `POST /repos${at}/contents/.gitea/ISSUE_TEMPLATE/bug.yaml`, { content: btoa(FORM) })
    await ask("ann", `POST /repos${at}/issues`, { title: "Buy clay" })
    const person = await enter("ann")
    await person.open(`${at}/labels/new`)
    await person.send({ Name: "crack", Color: "b60205" }, "Create label")
    await person.open(`${at}/milestones/new`)
    await person.send({ Title: "Winter", Due: "2031-12-01" }, "Create milestone")

    await person.open(`${at}/issues/new/choose`)
    await person.press("Bug")
    await person.send({ Title: "Bug: it cracks", "Where required": "At the rim", "How bad": "Very" }, "Create issue")
    await person.sees("At the rim")
    const change = async (what: string, fields: Readonly<Record<string, string>>, button = "Save") => {
      await person.unfold(what)
      await person.send(fields, button)
    }
    await change("Edit labels", { crack: "yes" })
    await person.unfold("Edit milestone")
    const winter = { "Milestone: Winter": "yes" }
    await (scripts ? person.fill(winter) : person.send(winter, "Save"))
    await person.page.waitForSelector("#side-milestone a >> text=Winter")
    await person.press("Assign yourself")
    await change("Edit due date", { Due: "2031-11-01" })
    await change("Add a dependency", { Issue: "#1" }, "Add")
    await change("Add time", { Time: "1h 30m" }, "Add")
    await person.press("Pin")
    await change("Lock the conversation", { Reason: "Resolved" }, "Lock")
    expect(await ask("ann", `GET /repos${at}/issues/2`)).toMatchObject({
      labels: [{ name: "crack" }],
      milestone: { title: "Winter" },
      assignees: [{ login: "ann" }],
      due_date: expect.stringContaining("2031-11-01"),
      pin_order: 1,
      is_locked: true,
      time_estimate: 0,
    })
    expect(await ask("ann", `GET /repos${at}/issues/2/times`)).toMatchObject([{ time: 5400 }])

    // What it waits for comes first.
    await person.press("Close")
    await person.sees("still has open dependencies")
    await person.open(`${at}/issues/1`)
    await person.press("Close")
    await person.open(`${at}/issues/2`)
    await person.press("Close")
    expect(await ask("ann", `GET /repos${at}/issues/2`)).toMatchObject({ state: "closed" })
  })
})
