import { describeFailingStatements } from "./statements.ts"

describeFailingStatements("postgres")
