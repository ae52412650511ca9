module.exports = { ...require('../../jest.preset.cjs'), displayName: 'policy-engine' };
