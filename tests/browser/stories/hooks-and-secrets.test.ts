import { afterAll, beforeAll, expect } from "vitest"
import { openReceiver, type Receiver } from "../../../src/features/events/webhooks/testing.ts"
import { stories } from "./stories.ts"

let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
})
afterAll(() => receiver?.close())

stories((story) => {
  story("a repository gets a secret, a variable and a webhook, which is called again", async ({ ask, enter, made, settled }) => {
    const at = await made("bell")
    const person = await enter("ann")
    await person.open(`${at}/settings/actions/secrets`)
    await person.send({ Name: "PASS_KEY", Value: "hush-hush" }, "Set secret")
    await person.sees("PASS_KEY")
    expect(await person.page.content()).not.toContain("hush-hush")
    await person.open(`${at}/settings/actions/variables`)
    await person.send({ Name: "TONE", Value: "low" }, "Add variable")
    await person.sees("low")

    await person.open(`${at}/settings/hooks/gitea/new`)
    await person.send({ Address: `${receiver.url}/in`, Issues: "yes" }, "Add webhook")
    await ask("ann", `POST /repos${at}/issues`, { title: "It rings" })
    await settled()
    expect(receiver.take()).toMatchObject([{ path: "/in", body: { action: "opened", issue: { title: "It rings" } } }])
    await person.open(`${at}/settings/hooks`)
    await person.press(`${receiver.url}/in`)
    await person.page.locator("main a[href*='/deliveries/']").first().click()
    await person.sees("It rings")
    await person.press("Redeliver")
    await settled()
    expect(receiver.take()).toMatchObject([{ path: "/in", body: { issue: { title: "It rings" } } }])
  })
})
