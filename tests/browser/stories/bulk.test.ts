import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("several issues are changed from the list, with a result for each", async ({ ask, enter, made }) => {
    const at = await made("attic")
    const label = await ask("ann", `POST /repos${at}/labels`, { name: "dusty", color: "888888" })
    for (const title of ["Lamp", "Trunk", "Mirror"]) await ask("ann", `POST /repos${at}/issues`, { title })
    await ask("ann", `POST /repos${at}/issues/2/dependencies`, { owner: "ann", repo: at.split("/")[2], index: 3 })
    const person = await enter("ann")
    await person.open(`${at}/issues`)
    await person.send({ "Select #1": "yes", "Select #2": "yes", Selected: `label ${label.id}` }, "Apply")
    expect(await ask("ann", `GET /repos${at}/issues?labels=dusty`)).toMatchObject([{ number: 2 }, { number: 1 }])
    // The trunk waits for the mirror: the lamp is closed all the same.
    await person.open(`${at}/issues`)
    await person.send({ "Select #1": "yes", "Select #2": "yes", Selected: "close" }, "Apply")
    await person.sees("#1")
    expect(await ask("ann", `GET /repos${at}/issues?state=closed`)).toMatchObject([{ number: 1 }])
  })
})
