require('../dist/provider/plugin/main.js');
