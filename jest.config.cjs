// Every project has its own jest.config.cjs; one run over all of them shares one worker pool (two cores go further).
const { readdirSync, existsSync } = require('node:fs');
const dirs = ['apps', 'libs', 'tools'].flatMap((top) => readdirSync(top).map((d) => `${top}/${d}`));
module.exports = { projects: dirs.filter((d) => existsSync(`${d}/jest.config.cjs`)) };
