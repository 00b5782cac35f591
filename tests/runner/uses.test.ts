import { expect } from "vitest"
import { after, type Files, onPush, withRunner, workflowPath } from "./support/fixture.ts"

/** An action of its own repository: it says what it was given, puts something out, and has a step for the end. */
const JAVASCRIPT: Files = {
  "action.yml": `name: Greeter
description: Greets
inputs: {who: {description: Whom, default: world}}
outputs: {greeting: {description: What was said}}
runs: {using: node20, main: main.js, post: post.js}
`,
  "main.js": `const { appendFileSync } = require("node:fs")
const who = process.env.INPUT_WHO
console.log("greeting=hello " + who)
appendFileSync(process.env.GITHUB_OUTPUT, "greeting=hello " + who + "\\n")
appendFileSync(process.env.GITHUB_STATE, "who=" + who + "\\n")
`,
  "post.js": `console.log("post=goodbye " + process.env.STATE_who)\n`,
  "composite/action.yml": `name: Composite
description: Several steps
inputs: {n: {description: A number, default: "1"}}
outputs: {doubled: {description: Twice as much, value: "\${{ steps.double.outputs.value }}"}}
runs:
  using: composite
  steps:
    - id: double
      shell: bash
      run: echo "value=$(( \${{ inputs.n }} * 2 ))" >> $GITHUB_OUTPUT
    - shell: bash
      run: echo "composite=\${{ inputs.n }}"
`,
}

withRunner(
  "what workflows use",
  { config: { actions: { sourceUrl: "self" } }, machines: [{ name: "one", capacity: 4, hasCache: true }] },
  ({ site, check }) => {
    check(
      "16. a private repository is fetched with the job's token; actions of the own server run: JavaScript with a step for the end, composite, local",
      async () => {
        await site.repository("greeter", JAVASCRIPT)
        await site.must(site.root, "POST /repos/root/greeter/tags", { tag_name: "v1", target: "main" })
        const repository = await site.repository(
          "uses",
          {
            ...onPush(
              `build:
  runs-on: host
  steps:
    - name: Check out
      run: |
        git init -q .
        git -c "http.extraheader=AUTHORIZATION: basic $(printf 'x-access-token:%s' "\${{ github.token }}" | base64 -w0)" fetch -q --depth=1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "$GITHUB_SHA"
        git checkout -q FETCH_HEAD
        echo "fetched=$(git rev-parse HEAD) $(git rev-list --count HEAD) $(ls)"
    - uses: root/greeter@v1
      id: greet
      with: {who: you}
    - uses: OWN_ROOT/root/greeter/composite@main
      id: composite
      with: {n: 21}
    - uses: ./actions/own
      id: own
    - run: echo "outputs=\${{ steps.greet.outputs.greeting }}, \${{ steps.composite.outputs.doubled }}, \${{ steps.own.outputs.doubled }}"
`.replace("OWN_ROOT", site.hearth.url),
            ),
            "actions/own/action.yml": JAVASCRIPT["composite/action.yml"] ?? "",
          },
          { private: true },
        )
        const { run, log } = await site.ended(repository)
        const lines = await log()
        expect([run.conclusion, lines.filter((line) => line.startsWith("##[error]"))]).toEqual(["success", []])
        expect(after(lines, "fetched=")).toEqual([`${run.head_sha} 1 README.md`, "actions"].join("\n").split("\n").slice(0, 1))
        expect(after(lines, "greeting=")).toEqual(["hello you"])
        expect(after(lines, "outputs=")).toEqual(["hello you, 42, 2"])
        expect(after(lines, "post=")).toEqual(["goodbye you"])
      },
    )

    check("16. an action of a private repository is refused", async () => {
      await site.repository("secretaction", JAVASCRIPT, { private: true })
      const { run, log } = await site.ended(
        await site.repository("usesprivate", onPush("build:\n  runs-on: host\n  steps: [{uses: root/secretaction@main}]\n")),
      )
      expect(run.conclusion).toBe("failure")
      expect((await log()).join("\n")).toMatch(/unable to clone|repository not found|authentication/i)
    })

    check(
      "16. an action that a private repository shares is fetched with the job's token, and its code read by another private one",
      async () => {
        await site.repository("sharedaction", JAVASCRIPT, { private: true })
        await site.must(site.root, "PATCH /repos/root/sharedaction", { shares_workflows: true })
        const { run, log } = await site.ended(
          await site.repository(
            "usesshared",
            onPush("build:\n  runs-on: host\n  steps: [{uses: root/sharedaction@main, with: {who: owner}}]\n"),
            {
              private: true,
            },
          ),
        )
        const lines = await log()
        expect([run.conclusion, lines.filter((line) => line.startsWith("##[error]"))]).toEqual(["success", []])
        expect(after(lines, "greeting=")).toEqual(["hello owner"])
      },
    )

    check("17. a reusable workflow of the same commit, and one of another repository: inputs, secrets, outputs, nested", async () => {
      const called = (inner = "") => `name: Called
on:
  workflow_call:
    inputs:
      text: {type: string, required: true}
      flag: {type: boolean, default: false}
      number: {type: number, default: 3}
    secrets: {PASSWORD: {required: false}}
    outputs: {said: {value: "\${{ jobs.inner.outputs.said }}"}}
jobs:
  inner:
    runs-on: host
    outputs: {said: "\${{ steps.s.outputs.said }}"}
    steps:
      - id: s
        run: |
          echo "inputs=\${{ inputs.text }} \${{ inputs.flag }} \${{ inputs.number }} \${{ github.event_name }}"
          echo "secret=\${{ secrets.PASSWORD != '' }} \${{ secrets.OTHER != '' }}"
          echo "said=\${{ inputs.text }}!" >> $GITHUB_OUTPUT
${inner}`
      await site.repository("library", { [workflowPath("there")]: called() })
      const repository = await site.repository("caller", {
        [workflowPath("called")]: called("  nested:\n    uses: ./.gitea/workflows/deep.yml\n"),
        [workflowPath("deep")]: "on: workflow_call\njobs:\n  deepest:\n    runs-on: host\n    steps: [{run: echo deep}]\n",
      })
      await site.must(site.root, `PUT /repos/${repository}/actions/secrets/PASSWORD`, { data: "a-password" })
      await site.must(site.root, `PUT /repos/${repository}/actions/secrets/OTHER`, { data: "another" })
      await site.commit(repository, {
        ...onPush(`local:
  uses: ./.gitea/workflows/called.yml
  with: {text: hello, flag: true}
  secrets: {PASSWORD: "\${{ secrets.PASSWORD }}"}
other:
  uses: root/library/.gitea/workflows/there.yml@main
  with: {text: there, number: 8}
  secrets: inherit
after:
  needs: [local, other]
  runs-on: host
  steps: [{run: 'echo "outputs=\${{ needs.local.outputs.said }} \${{ needs.other.outputs.said }} \${{ needs.local.result }}"'}]
`),
      })
      const { run, conclusions, jobs, log } = await site.ended(repository)
      expect([run.conclusion, new Set(Object.values(conclusions))]).toEqual(["success", new Set(["success"])])
      expect(after(await log("after"), "outputs=")).toEqual(["hello! there! success"])
      const inner = await Promise.all(
        jobs
          .filter(({ name }) => name.endsWith("inner"))
          .map(async ({ id }) => (await site.rawLog(repository, { id })).replaceAll(/^\S+Z /gm, "").split("\n")),
      )
      expect(inner.flatMap((lines) => after(lines, "inputs=")).sort()).toEqual([
        "hello true 3 workflow_call",
        "there false 8 workflow_call",
      ])
      expect(inner.flatMap((lines) => after(lines, "secret=")).sort()).toEqual(["true false", "true true"])
      expect(jobs.some(({ name }) => name.endsWith("deepest"))).toBe(true)
    })

    check("17. a call of a workflow that is missing, or can't be called, or lacks an input fails with the reason", async () => {
      const repository = await site.repository("wrongcalls", {
        [workflowPath("strict")]:
          "on: {workflow_call: {inputs: {text: {type: string, required: true}}}}\njobs:\n  inner:\n    runs-on: host\n    steps: [{run: echo never}]\n",
        [workflowPath("plain")]: "on: workflow_dispatch\njobs:\n  inner:\n    runs-on: host\n    steps: [{run: echo never}]\n",
        ...onPush(
          "missing:\n  uses: ./.gitea/workflows/nothere.yml\nplain:\n  uses: ./.gitea/workflows/plain.yml\nstrict:\n  uses: ./.gitea/workflows/strict.yml\n",
        ),
      })
      const { conclusions, log } = await site.ended(repository)
      expect(conclusions).toEqual({ missing: "failure", plain: "failure", strict: "failure" })
      expect(await log("missing")).toEqual([expect.stringMatching(/^##\[error\].*nothere\.yml/)])
      expect(await log("plain")).toEqual([expect.stringContaining("workflow_call")])
      expect(await log("strict")).toEqual([expect.stringContaining("text")])
    })

    check(
      "14. artifacts with the library of upload-artifact@v4: in blocks, listed, downloaded in another job and through the web, deleted, replaced",
      async () => {
        const library = new URL("../../node_modules/@actions/artifact/lib/artifact.js", import.meta.url).pathname
        // Outside of GitHub the library only speaks to servers with certain names.
        const script = (text: string) => `node --input-type=module -e '
process.env.GITHUB_SERVER_URL = "https://artifacts.ghe.com"
const { DefaultArtifactClient } = await import("${library}")
const client = new DefaultArtifactClient()
${text}'`
        const step = (text: string) => `{run: ${JSON.stringify(script(text))}}`
        const repository = await site.repository(
          "artifacts",
          onPush(`up:
  runs-on: host
  steps:
    - run: mkdir out && head -c 20971520 /dev/urandom > out/big.bin && echo text > out/small.txt && sha256sum out/big.bin | cut -c1-64 > sum && echo "sum=$(cat sum)"
    - ${step(`const a = await client.uploadArtifact("first", ["out/big.bin", "out/small.txt"], "out", { compressionLevel: 0 }); console.log("uploaded=" + (a.size > 20971520) + " " + (a.id > 0))`)}
    - ${step(`await client.uploadArtifact("second", ["out/small.txt"], "out"); await client.uploadArtifact("third", ["out/small.txt"], "out"); await client.deleteArtifact("third")`)}
down:
  needs: up
  runs-on: host
  steps:
    - ${step(`const { artifacts } = await client.listArtifacts(); console.log("listed=" + artifacts.map(({ name }) => name).sort().join(" ")); const { artifact } = await client.getArtifact("first"); await client.downloadArtifact(artifact.id, { path: "in" })`)}
    - run: echo "again=$(sha256sum in/big.bin | cut -c1-64) $(cat in/small.txt)"
`),
        )
        const { run, conclusions, log } = await site.ended(repository)
        expect(conclusions).toEqual({ up: "success", down: "success" })
        const [sum = ""] = after(await log("up"), "sum=")
        expect(after(await log("up"), "uploaded=")).toEqual(["true true"])
        expect(after(await log("down"), "listed=")).toEqual(["first second"])
        expect(after(await log("down"), "again=")).toEqual([`${sum} text`])
        const { artifacts } = await site.must(site.root, `GET /repos/${repository}/actions/runs/${run.id}/artifacts`)
        expect(artifacts.map(({ name }: { readonly name: string }) => name).sort()).toEqual(["first", "second"])
        const second = artifacts.find(({ name }: { readonly name: string }) => name === "second")
        const zip = await fetch(`${site.hearth.url}/api/v1/repos/${repository}/actions/artifacts/${second.id}/zip`, {
          headers: { authorization: site.root ?? "" },
        })
        expect([
          zip.status,
          Buffer.from(await zip.arrayBuffer())
            .subarray(0, 2)
            .toString(),
        ]).toEqual([200, "PK"])
      },
    )

    check("14. artifacts of version 3: listed, uploaded and downloaded", async () => {
      const repository = await site.repository(
        "artifacts3",
        onPush(`both:
  runs-on: host
  steps:
    - run: |
        base="\${ACTIONS_RUNTIME_URL}_apis/pipelines/workflows/$GITHUB_RUN_ID/artifacts"
        call() { curl -sf -H "Authorization: Bearer $ACTIONS_RUNTIME_TOKEN" -H 'content-type: application/json' "$@"; }
        url=$(call -d '{"Type":"actions_storage","Name":"old"}' "$base?api-version=6.0-preview" | sed 's/.*"fileContainerResourceUrl":"\\([^"]*\\)".*/\\1/')
        case "$url" in *\\?*) with="$url&";; *) with="$url?";; esac
        call -X PUT -H 'content-type: application/octet-stream' -H 'content-range: bytes 0-7/8' -H 'x-tfs-filelength: 8' --data-binary '8 bytes.' "\${with}itemPath=old/dir/f.txt" > /dev/null
        call -X PATCH -d '{"Size":8}' "$base?api-version=6.0-preview&artifactName=old" > /dev/null
        echo "count=$(call "$base?api-version=6.0-preview" | grep -o '"count":1')"
        container=$(call "$base?api-version=6.0-preview" | sed 's/.*"fileContainerResourceUrl":"\\([^"]*\\)".*/\\1/')
        place=$(call "$container?itemPath=old" | sed 's/.*"contentLocation":"\\([^"]*\\)".*/\\1/')
        echo "content=$(call "$place")"
`),
      )
      const { run, log } = await site.ended(repository)
      const lines = await log()
      expect([run.conclusion, ...after(lines, "count="), ...after(lines, "content=")]).toEqual(["success", '"count":1', "8 bytes."])
    })

    check("15. the library of the cache action keeps files between two jobs of one runner", async () => {
      const library = new URL("../../node_modules/@actions/cache/lib/cache.js", import.meta.url).pathname
      const step = (text: string) =>
        `{run: ${JSON.stringify(`node -e 'const c = require("${library}"); (async () => { ${text} })().catch((e) => { console.error(e); process.exit(1) })'`)}}`
      const repository = await site.repository(
        "caches",
        onPush(`save:
  runs-on: host
  steps:
    - run: mkdir kept && echo value > kept/file
    - ${step(`console.log("saved=" + (await c.saveCache(["kept"], "key-1") > 0))`)}
restore:
  needs: save
  runs-on: host
  steps:
    - ${step(`console.log("restored=" + await c.restoreCache(["kept"], "key-2", ["key-"]))`)}
    - run: echo "value=$(cat kept/file)"
`),
      )
      const { conclusions, log } = await site.ended(repository)
      expect(conclusions).toEqual({ save: "success", restore: "success" })
      expect(after(await log("restore"), "restored=")).toEqual(["key-1"])
      expect(after(await log("restore"), "value=")).toEqual(["value"])
    })
  },
)
