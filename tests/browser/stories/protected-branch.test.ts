import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("a protected branch waits for what it needs, then takes the change by itself", async ({ ask, enter, made, settled }) => {
    const at = await made("vault")
    await ask("ann", `PUT /repos${at}/collaborators/bob`, { permission: "write" })
    const [owner, author] = [await enter("ann"), await enter("bob")]
    await owner.open(`${at}/settings/branches/new`)
    await owner.send(
      {
        Branches: "main",
        "Required approvals": "1",
        "Require status checks": "yes",
        "Required status checks": "build",
        "Include administrators": "yes",
      },
      "Create rule",
    )
    await author.open(`${at}/_edit/main/README.md`)
    await author.send({ Content: "# Vault\n\nLocked.\n", "Commit message": "Lock it", Branch: "lock" }, "Commit")
    await author.send({ Title: "Lock it" }, "Create pull request")
    await settled()
    await author.open(`${at}/pulls/1`)
    await author.sees("1 approval is required")
    await author.sees("Waiting for required checks")
    await author.press("Merge when all conditions are met")
    await author.sees("Auto-merge: it will be merged when all conditions are met.")

    await owner.open(`${at}/pulls/1/files`)
    await owner.unfold("Review changes")
    await owner.send({ Approve: "yes" }, "Submit review")
    await owner.open(`${at}/pulls/1`)
    await owner.sees("Approved by 1 reviewer.")
    const { head } = await ask("ann", `GET /repos${at}/pulls/1`)
    await ask("ann", `POST /repos${at}/statuses/${head.sha}`, { context: "build", state: "success" })
    await settled()
    await author.open(`${at}/pulls/1`)
    await author.sees("merged 1 commit")
    expect(await ask("ann", `GET /repos${at}/pulls/1`)).toMatchObject({ merged: true, merged_by: { login: "bob" } })
  })
})
