import { agentCli } from './cli.js';

await agentCli(process.argv.slice(2), process.env);
